"""The duel: the same reviews learned by classifiers of every age, the same review answered by all
of them.
"""
