"""Attributions of one answer to the words of its review: attention, integrated gradients,
leave-one-out.
"""
