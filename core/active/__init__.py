"""Active inference: which records people label, and the accuracy that their labels anchor."""
