"""Tables of millions of texts in, tables of answers out, part by part: on one machine, or on a Ray
cluster. A part that is written is never computed again.
"""
