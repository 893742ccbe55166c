"""One review's attention heads taken apart: silenced, compared with what they were before training,
measured, multiplied out.
"""
