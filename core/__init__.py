"""How far an LLM judge can be trusted, and what to do where it can't."""

__version__ = "0.1.0"
