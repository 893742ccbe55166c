"""What the pages share: the frame, errors, links, jobs, downloads, the review and the model."""
