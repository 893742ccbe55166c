"""Two reviews that differ in a word, or a grid of them: where does the answer turn?"""
