"""Training a SentencePiece model: flags, corpus and one trainer per model type."""
