"""Added tokens: their flags, finding them in a text, and the text around them."""
