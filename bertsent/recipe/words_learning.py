"""The training of the heads of pretraining: in each step a batch of texts is corrupted anew, and
the heads are asked for the drawn words alone; of pairs of sentences also whether they follow each
other (Devlin et al. 2019, section 3.1).
"""

from typing import cast

import numpy as np
import torch
from torch import nn

from bertsent.models.language_model_head import MaskedWordHead, NextSentenceHead
from bertsent.recipe.learned_rows import LearnedBatch
from bertsent.recipe.learning import SetLearning
from bertsent.recipe.words_plan import FOLLOWING, WORDS, WordStage
from bertsent.text.masking import NO_LABEL, mask_tokens


class WordLearning(SetLearning):
    """The heads over the built-in encoder, and where a stage of their training stands."""

    def new_heads(self) -> nn.ModuleDict:
        """Both heads; each word begins with the logarithm of its share of the texts as bias."""
        config = self.bert.config
        words, following = MaskedWordHead(config), NextSentenceHead(config)
        for layer in (words.dense, following.dense, following.classifier):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        counts = sum(each.token_counts(config.vocab_size) for each in self.streams.values()) + 1
        with torch.no_grad():
            words.bias.copy_(torch.from_numpy(np.log(counts / np.sum(counts))))
        return nn.ModuleDict({WORDS: words, FOLLOWING: following})

    def freeze(self) -> None:
        """Let the last layers learn, as many as the stage says."""
        self.bert.requires_grad_(False)
        layers = cast(nn.ModuleList, self.bert.get_submodule("encoder.layer"))
        learned = cast(WordStage, self.stage).last_layers
        for layer in layers[len(layers) - learned :]:
            layer.requires_grad_(True)

    def loss(self, batch: LearnedBatch) -> torch.Tensor:
        """The cross-entropy of the drawn words, and of which pairs follow each other."""
        read, labels = mask_tokens(batch.tokens.input_ids, self.tokenizer, self._draw())
        drawn = (labels != NO_LABEL).to(self.device)
        vectors = cast(nn.Embedding, self.bert.get_input_embeddings())
        segments = batch.tokens.segments(self.tokenizer.sep_id)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.precision == "bf16"):
            hidden = self.bert(
                input_ids=read.to(self.device),
                attention_mask=batch.tokens.attention_mask.to(self.device),
                token_type_ids=segments.to(self.device),
            ).last_hidden_state
            words = self.heads[WORDS](hidden[drawn], vectors.weight)
            following = self.heads[FOLLOWING](hidden[:, 0])
        asked = nn.functional.cross_entropy(
            words.float(), labels.to(self.device)[drawn], reduction="sum"
        )
        loss = asked / drawn.sum().clamp(min=1)
        if FOLLOWING not in batch.targets:
            return loss
        truth = batch.targets[FOLLOWING].long().to(self.device)
        return loss + nn.functional.cross_entropy(following.float(), truth)

    def _draw(self) -> int:
        """The seed of the step's corruption, another one in each stage."""
        place = [self.plan.seed, self.plan.stages.index(self.stage), self.step]
        return int(np.random.SeedSequence(place).generate_state(1)[0])
