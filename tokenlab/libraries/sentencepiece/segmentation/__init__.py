"""The segmentation models of SentencePiece: BPE, Unigram, word and character."""
