"""The judge: what makes, reads and admits verdicts."""
