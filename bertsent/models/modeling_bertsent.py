"""A BERT classifier on the mean or the maximum of its token vectors, readable with
``trust_remote_code=True``.

Export puts this file beside the weights of a mean- or max-pooled model, because the library has no
class for one. It needs nothing but transformers; ``bertsent.load(folder)`` reads the same folder
without running any code from it.
"""

import torch
from torch import nn
from transformers import BertConfig, BertModel, BertPreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class PooledBertForSequenceClassification(BertPreTrainedModel):
    """``config.bertsent_pooling`` says how token vectors become one: ``mean`` (without padding) or
    ``max``. Numbers stay in ``config.bertsent_range`` if there is one: where it is
    ``config.bertsent_squashed`` the logit goes through a sigmoid that is stretched over it, else
    it is cut at its ends once the model is trained.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels or 2)
        self.post_init()

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        **_: object,
    ) -> SequenceClassifierOutput:
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        hidden = self.bert(
            input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        real = attention_mask.unsqueeze(-1).bool()
        if self.config.bertsent_pooling == "mean":
            pooled = (hidden * real).sum(1) / real.sum(1)
        else:
            pooled = hidden.masked_fill(~real, float("-inf")).amax(1)
        logits = self.classifier(pooled)
        low, high = getattr(self.config, "bertsent_range", None) or (0.0, 0.0)
        if high > low and getattr(self.config, "bertsent_squashed", True):
            logits = low + (high - low) * logits.sigmoid()
        elif high > low and not self.training:
            logits = logits.clamp(low, high)
        loss = None
        if labels is not None and self.config.problem_type == "regression":
            loss = nn.functional.mse_loss(logits[:, 0], labels.float())
        elif labels is not None and self.config.problem_type == "multi_label_classification":
            loss = nn.functional.binary_cross_entropy_with_logits(logits, labels.float())
        elif labels is not None:
            loss = nn.functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)
