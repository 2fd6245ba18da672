"""Encode a whole text with WordPiece, fast: each distinct word once, and in linear time.

Adds: a bounded cache of words; a trie of the tokens with failure links, with which a walk reads each character of a
word once. `encode_word` tries many windows for each token. Here, one node represents all windows that are still
possible, because some token begins with the characters since the last token. If no token continues with the next
character, two results are known in advance: the tokens that the longest match takes from these characters (the failure
pops), and the node of the characters that remain (the failure link). The steps are those of `encode_word`.
Leaves out: cleaning and lowercasing the text; see `tokenlab.libraries.bert`.
Source: Song et al. 2021, "Fast WordPiece Tokenization" (LinMaxMatch); the links are those of Aho and Corasick 1975.

>>> WordPieceEncoder({"hug": 0, "##s": 1}).encode("hugs hug bug")
['hug', '##s', 'hug', '[UNK]']
>>> trie = LongestMatchTrie({"a", "abcd", "##b", "##bx", "##c"})
>>> trie.tokens("abc"), trie.tokens("abcd"), trie.tokens("abx"), trie.tokens("bx")
(('a', '##b', '##c'), ('abcd',), ('a', '##bx'), None)
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from itertools import chain

from tokenlab.algorithms.text.pretokenize import SPLITTERS, PreTokenizer
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.algorithms.wordpiece.encode import MAX_INPUT_CHARS_PER_WORD, Step, check, encode_word
from tokenlab.printing.errors import lookup
from tokenlab.steps.traced_method import traced_method


class Node:
    """The characters since the last token, with which some token begins.

    Attributes:
        edges: the nodes with one more character.
        pops: the tokens that the longest match takes from these characters if no edge has the next character.
        failure: the node of the characters after the pops; None if no token begins with them.
        rest: the tokens of these characters at the end of the word; None if they have none.
    """

    __slots__ = ("edges", "failure", "pops", "rest")

    def __init__(self) -> None:
        self.edges: dict[str, Node] = {}
        self.pops: tuple[str, ...] = ()
        self.failure: Node | None = None
        self.rest: tuple[str, ...] | None = None


class LongestMatchTrie:
    """A trie of the tokens that begin a word, and a trie of those inside a word, which begin with the prefix."""

    def __init__(self, vocabulary: Collection[str], prefix: str = "##") -> None:
        self.vocabulary, self.prefix = vocabulary, prefix
        self.first, self.inside = Node(), Node()
        for token in vocabulary:
            self._add(self.first, token, token)
            if token.startswith(prefix):
                self._add(self.inside, token.removeprefix(prefix), token)
        for root in self.first, self.inside:
            root.pops, root.failure, root.rest = (), None, ()
        for parent, character, node in self._breadth_first():
            if node.failure is None:
                node.pops, node.failure = _fail(parent, character)
            if node.failure is not None and node.failure.rest is not None:
                node.rest = node.pops + node.failure.rest

    def tokens(self, word: str) -> tuple[str, ...] | None:
        """Return the tokens of a word; None if it is unknown.

        >>> LongestMatchTrie({"hug", "##s"}).tokens("hugs")
        ('hug', '##s')
        """
        tokens: list[str] = []
        node = self.first
        for character in word:
            while (longer := node.edges.get(character)) is None:
                if node.failure is None:
                    return None
                tokens += node.pops
                node = node.failure
            node = longer
        if node.rest is None:
            return None
        tokens += node.rest
        return tuple(tokens)

    def _add(self, node: Node, text: str, token: str) -> None:
        """Add the nodes of a token; its text is the token without prefix."""
        for character in text:
            longer = node.edges.get(character)
            if longer is None:
                longer = node.edges[character] = Node()
            node = longer
        node.pops, node.failure = (token,), self.inside

    def _breadth_first(self) -> Iterator[tuple[Node, str, Node]]:
        """Yield each edge, those near the roots first: a failure link leads to a node with fewer characters."""
        nodes = [self.first, self.inside]
        for parent in nodes:  # the list grows while it is read
            for character, node in parent.edges.items():
                nodes.append(node)
                yield parent, character, node

    def __reduce__(self) -> tuple[object, ...]:
        # Built again from its tokens: to copy the links one by one would be a deep recursion.
        return LongestMatchTrie, (self.vocabulary, self.prefix)


def _fail(node: Node, character: str) -> tuple[tuple[str, ...], Node | None]:
    """Pops and failure link of a node's child that is not a token: those of the node, and then the same character."""
    pops, after = node.pops, node.failure
    while after is not None and character not in after.edges:
        pops += after.pops
        after = after.failure
    return ((), None) if after is None else (pops, after.edges[character])


class WordPieceEncoder:
    """A WordPiece encoder for texts: a vocabulary, a pre-tokenizer and a cache."""

    def __init__(
        self,
        vocabulary: Collection[str],
        unknown: str = "[UNK]",
        prefix: str = "##",
        max_input_chars_per_word: int = MAX_INPUT_CHARS_PER_WORD,
        split: str | PreTokenizer = "whitespace",
    ) -> None:
        """Take the arguments of `encode_word`, and the pre-tokenizer that splits a text into words, or its name.

        Raises:
            ValueError, TypeError: as `encode_word`, or the pre-tokenizer is unknown.
        """
        check("", vocabulary, max_input_chars_per_word)
        self.vocabulary = vocabulary
        self.unknown = unknown
        self.prefix = prefix
        self.max_input_chars_per_word = max_input_chars_per_word
        self.splitter = split if isinstance(split, PreTokenizer) else lookup("split", split, SPLITTERS)
        self._trie = LongestMatchTrie(vocabulary, prefix)
        self._words = WordCache(self.encode_uncached)

    def _encode_in_steps(self, text: str) -> Generator[Step, None, list[str]]:
        tokens: list[str] = []
        for word in self.splitter.words(text):
            tokens += yield from encode_word.steps(
                word, self.vocabulary, self.unknown, self.prefix, self.max_input_chars_per_word
            )
        return tokens

    @traced_method(_encode_in_steps)
    def encode(self, text: str) -> list[str]:
        """Return the tokens of a text, word by word; `encode.steps` and `encode.record` return the steps.

        >>> WordPieceEncoder({"a", "##b"}, split="bert").encode("ab, a")
        ['a', '##b', '[UNK]', 'a']
        """
        return list(chain.from_iterable(map(self._words.__getitem__, self.splitter.words(text))))

    def word(self, word: str) -> tuple[str, ...]:
        """Return the tokens of one word, as `encode_word` does.

        >>> WordPieceEncoder({"a", "##b"}).word("ab")
        ('a', '##b')
        """
        return self._words[word]

    def encode_uncached(self, word: str) -> tuple[str, ...]:
        """Return the tokens of one word, without looking into the cache."""
        if len(word) > self.max_input_chars_per_word:
            return (self.unknown,)
        tokens = self._trie.tokens(word)
        return (self.unknown,) if tokens is None else tokens
