"""A lesson of two steps and a quiz, which tests change where they need to."""

TINY = """---
title: The puzzle
summary: What a model hears in a joke.
minutes: 10
goals:
  - Say why word counts are fooled.
sources:
  - "Devlin et al. (2019): BERT."
---

## A machine reads a joke

```yaml step
page: Probe
link: "text=Great, another boring movie&probe=Answer"
minutes: 4
focus: [answer]
```

It has read the *whole* sentence.

### Ask
What will it say?

- [ ] Positive
- [x] Negative

### Why
It has seen such openings before.

### Notes
Let the class vote first.

## Where it looks

```yaml step
page: Attention
link: "text=Not a bad film & a fine one&look=Silence heads&silenced=6·10&silenced=1·2"
minutes: 5
```

Each head looks elsewhere.

## Quiz

### What is a head?

- [x] One pattern of attention
- [ ] The classifier

> A layer has twelve of them.

### What learns from labels?

- [ ] Pre-training
- [x] Fine-tuning

> Pre-training guesses masked words.
"""


def line_of(text: str, marker: str) -> int:
    """The line, from 1, that contains the marker."""
    return next(n for n, line in enumerate(text.split("\n"), 1) if marker in line)
