"""Text → pieces → ids."""

# %% Pieces and ids, [CLS] in front and [SEP] at the end
encoded = tokenizer(review, truncation=True, max_length=max_length, split_special_tokens=True)
ids = torch.tensor(encoded["input_ids"])
segments = torch.zeros_like(ids)
mask = torch.ones_like(ids)
pieces = tokenizer.convert_ids_to_tokens(ids)

# %% WordPiece: of a word, the longest piece that the vocabulary has, again and again
word = "unbelievably"
vocabulary = tokenizer.get_vocab()
pieces_of_word, start = [], 0
while start < len(word):
    mark = "##" if start else ""
    ends = range(len(word), start, -1)
    end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
    if end is None:  # no piece begins here, so the whole word is unknown
        pieces_of_word = [tokenizer.unk_token]
        break
    pieces_of_word.append(mark + word[start:end])
    start = end
