"""Two more experiments with vectors that no fine-tuning has touched: those of single tokens, and a
word to fill in.
"""
