"""Views of WordPiece training and encoding."""
