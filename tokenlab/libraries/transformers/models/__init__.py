"""The models, one package each."""
