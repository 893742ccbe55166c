"""Back."""

# %% At the logits: what the model says minus what is true
at_logits = probabilities - torch.eye(2)[label]
at_classifier = at_logits[:, None] * after_pooler
jacobian = torch.diag(probabilities) - probabilities[:, None] * probabilities

# %% Further back, by autograd: at the attention weights, and at the words
at_attention_weights, at_token = torch.autograd.grad(
    loss, [all_attention_weights[layer - 1], token], retain_graph=True
)
gradient_times_input = (at_token * token).sum(-1)

# %% One step of AdamW on a copy, and the answer after it
import copy

learning_rate, trains = 5e-5, "everything"
copied = copy.deepcopy(model)
if trains == "head":
    copied.bert.requires_grad_(False)
matrices = [each for each in copied.parameters() if each.dim() > 1]
vectors = [each for each in copied.parameters() if each.dim() == 1]  # these do not decay
decay = [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(decay, lr=learning_rate, weight_decay=0.01)
torch.nn.functional.cross_entropy(copied(ids[None], mask[None]), true).backward()
optimizer.step()
logits_after = copied(ids[None], mask[None])[0]
probabilities_after = logits_after.softmax(-1)
