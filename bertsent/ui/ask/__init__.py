"""The views of Probe and Attention: the specimen, who answers, the answer, the heads."""
