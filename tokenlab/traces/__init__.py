"""Recordings of what the libraries do: stepwise functions that call or repeat a library's own, to be watched.

`generation`, `t5` and `tokenization` are about `tokenlab.libraries.transformers`, which imports none of them. The other
libraries report their steps themselves.
"""
