"""In place of the library, whose compiled part is missing: only the tables of normalization lie beside this file."""
