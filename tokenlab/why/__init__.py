"""Why a tokenizer did that: the tokens of a text, and every stage that led to them, as plain text for a terminal.

Adds: the command `python -m tokenlab why`. It reads each kind of file that the kit reads, and presents its recording.
Leaves out: the rules. The sentences are those of the recorded steps and of their views; nothing is computed twice.

>>> from tokenlab import data
>>> from tokenlab.why.load import load
>>> tokenizer = load(data.FOLDER / "small.tiktoken")
>>> [row.token for row in tokenizer.explain("the cat").tokens]
['t', 'he', '␣c', 'at']
"""
