"""What read reviews before BERT: LSTMs in three orders and a convolutional network, and how their
answers hang on the words.
"""
