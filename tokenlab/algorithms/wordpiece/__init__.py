"""WordPiece: training by score or by frequency, and greedy longest-match encoding."""
