"""The classifiers that BERT is compared with: bags of words, an LSTM, and a frozen BERT."""
