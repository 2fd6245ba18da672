"""Plain text for people: invisible characters, digits, columns, and the sentences of errors and warnings."""
