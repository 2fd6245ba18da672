"""Tokenizers side by side: seven families, trained on the same corpus, and the measures that compare them."""
