"""Others say: the review answered side by side by classifiers of every age, why they say it, and
where they part.
"""
