"""Parts that several views share: questions, rows, numbers, tables and matrices."""
