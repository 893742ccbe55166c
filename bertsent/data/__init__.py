"""Reviews in: files, the built-in set and the Hub become ``Reviews`` and ``Splits``."""
