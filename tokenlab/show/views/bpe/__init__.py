"""Views of BPE and tiktoken."""
