"""Each layer."""

# %% Queries, keys and values: three linear maps, cut into heads
heads = model.bert.config.num_attention_heads


def by_head(numbers):
    return numbers.view(len(ids), heads, -1).transpose(0, 1)


def queries_keys_values(block, inputs):
    attention = block.attention.self
    return [by_head(each(inputs)) for each in (attention.query, attention.key, attention.value)]


# %% All layers, one after the other
hidden, all_attention_weights = [normalised], []
for block in model.bert.encoder.layer:
    inputs = hidden[-1]
    queries, keys, values = queries_keys_values(block, inputs)
    scores = queries @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5
    attention_weights = scores.softmax(-1)
    gathered = attention_weights @ values
    side_by_side = gathered.transpose(0, 1).flatten(1)
    attention = block.attention.output.dense(side_by_side)
    attended = block.attention.output.LayerNorm(inputs + attention)
    inner = block.intermediate.dense(attended)
    activated = block.intermediate.intermediate_act_fn(inner)
    fed_forward = block.output.dense(activated)
    hidden.append(block.output.LayerNorm(attended + fed_forward))
    all_attention_weights.append(attention_weights)

# %% One head and one pair of tokens, number by number
layer, head, source, target = 1, 1, 1, 1  # counted from 1
block, inputs = model.bert.encoder.layer[layer - 1], hidden[layer - 1]
queries, keys, values = queries_keys_values(block, inputs)
q, k = queries[head - 1, source - 1], keys[head - 1, target - 1]
products = q * k
score = products.sum() / len(q) ** 0.5
scores_of_row = keys[head - 1] @ q / len(q) ** 0.5
weight_of_pair = score.exp() / scores_of_row.exp().sum()
