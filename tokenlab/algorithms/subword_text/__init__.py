"""tensor2tensor's SubwordTextEncoder: splitting, escaping, training and encoding."""
