"""Names become models: backbones, the classifier on top, checkpoints and exports."""
