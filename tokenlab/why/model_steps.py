"""How a model of `tokenlab.libraries.tokenizers` splits one pre-token: its steps as sentences, and as a recording.

Adds: for BPE the merges, for WordPiece the lookups, for Unigram the best segmentations.
Leaves out: the rules; the sentences are those of the steps of `tokenlab.algorithms`. The recording leaves out unknown
characters that are fused or become bytes; the sentences name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, TypeAlias

from tokenlab.algorithms.bpe.encode_by_pairs import PairReplaced, encode_by_pairs
from tokenlab.algorithms.unigram.lattice import build_lattice
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.wordpiece.encode import LongestMatch, NotInVocabulary, encode_word
from tokenlab.libraries.tokenizers.models import BPE, Model, Unigram, WordLevel, WordPiece
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import GeneratorRun, Recording
from tokenlab.why.explanation import Made
from tokenlab.why.segmentations import best_path_steps, log_probs, segmentation_lines, two_best_paths

Ids: TypeAlias = tuple[int, int]
UNCHANGED = "no merge changed this symbol"
FAILED = 8  # failed lookups that one line names


def model_lines(model: Model, word: str) -> list[str]:
    """Return sentences on how a model splits a pre-token.

    >>> model_lines(WordPiece({"hug": 0, "##s": 1}), "hugs")[:2]
    ['not in the vocabulary: hugs', 'hug is in the vocabulary: a token starts at 0']
    """
    match model:
        case BPE():
            return [*_bpe(model, word)]
        case WordPiece():
            return [*_wordpiece(model, word)]
        case Unigram():
            return [*_unigram(model, word)]
        case WordLevel():
            known = word in model.get_vocab()
            return [f"{printable(word)} is {'' if known else 'not '}in the vocabulary"]
    return [f"the model {type(model).__name__} has no steps"]


def _bpe(model: BPE, word: str) -> Iterator[str]:
    if model.ignore_merges and not model.dropout and word in model._vocab:
        yield f"{printable(word)} is in the vocabulary as a whole, and ignore_merges is set, so nothing is merged"
        return
    token = model._tokens_by_id
    symbols = model._initial_symbols(word)[0]
    yield f"symbols: {_shown(token[id] for id in symbols)}"
    yield from _unknown_characters(model, word)
    if model.dropout:
        yield f"dropout={model.dropout:g} skips merges at random; without dropout they are:"
    run = GeneratorRun(encode_by_pairs.steps(symbols, model._merges))
    for merge in run:
        yield str(PairReplaced(merge.at, token[merge.left], token[merge.right], token[merge.made], merge.rank))
    left = run.result.symbols
    if len(left) > 1:
        yield f"no adjacent pair of {_shown(token[id] for id in left)} is in the list of merges"


def _unknown_characters(model: BPE, word: str) -> Iterator[str]:
    """Say what each character without a symbol becomes; the model itself decides it."""
    prefix, suffix = model.continuing_subword_prefix or "", model.end_of_word_suffix or ""
    for place, character in enumerate(word):
        text = (prefix if place else "") + character + (suffix if place == len(word) - 1 else "")
        if text not in model._vocab:
            ids, _ = model._with_unknown([text], [None], [len(character.encode())])
            found = [model._tokens_by_id[id] for id in ids]
            became = f"becomes {_shown(found)}" if found else "is dropped: the model has no unk_token"
            how = " (byte fallback)" if found and found != [model.unk_token] else ""
            yield f"{printable(text)} is not in the vocabulary and {became}{how}"


def _wordpiece(model: WordPiece, word: str) -> Iterator[str]:
    failed: list[str] = []
    for step in encode_word.steps(
        word, model._vocab, model.unk_token, model.continuing_subword_prefix, model.max_input_chars_per_word
    ):
        if isinstance(step, NotInVocabulary):
            failed.append(printable(step.token))
            continue
        if failed:
            yield f"not in the vocabulary: {_some(failed)}"
        failed = []
        yield str(step)


def _unigram(model: Unigram, word: str) -> Iterator[str]:
    if model.alpha:
        yield f"alpha={model.alpha:g} samples a segmentation at random; the most probable ones are:"
        model = Unigram(model._pieces, model._unk_id, model._byte_fallback)
    pieces = model._segmented(word)
    lattice = build_lattice(word, model._scores.trie, model._scores.unknown)
    yield from segmentation_lines(lattice, pieces, model._vocab)
    fused = model._fused(pieces)
    if fused != pieces:
        yield f"adjacent unknown pieces become one piece: {_shown(fused)}"
    for piece in fused:
        if piece not in model._vocab:
            tokens = [token for _, token in model._with_ids(piece)]
            became = f"becomes its bytes: {_shown(tokens)}" if tokens != [piece] else "gets the id of the unknown piece"
            yield f"{printable(piece)} is not in the vocabulary and {became}"


def _shown(symbols: Iterable[str]) -> str:
    return " ".join(map(printable, symbols)) or "none"


def _some(failed: list[str]) -> str:
    more = f" ... and {len(failed) - FAILED} shorter ones" if len(failed) > FAILED else ""
    return " ".join(failed[:FAILED]) + more


def model_recording(model: Model, word: str) -> Recording[Any, Any] | None:
    """Return a recording of the steps of `model_lines`; None for a model without steps.

    >>> print(model_recording(BPE({"h": 0, "u": 1, "hu": 2}, [("h", "u")]), "hu"))
    1. h + u became hu, rank 0, at symbol 0
    """
    match model:
        case BPE():
            return _merges(model, word)
        case WordPiece():
            prefix, longest = model.continuing_subword_prefix, model.max_input_chars_per_word
            return encode_word.record(word, model._vocab, model.unk_token, prefix, longest)
        case Unigram():
            return _best_path(model, word)
    return None


def made_by_model(model: Model, word: str, token: int) -> Made:
    """Return the steps that made the token with this number; for Unigram in a recording of the two best paths.

    >>> made = made_by_model(BPE({"h": 0, "u": 1, "hu": 2}, [("h", "u")]), "huh", 0)
    >>> print(made.steps, made.recording)
    [0] 1. h + u became hu, rank 0, at symbol 0
    """
    match model:
        case BPE() if recording := _merges(model, word):
            sizes = recording.result.sizes
            start = sum(sizes[:token])
            steps = [n for n, step in enumerate(recording) if start <= step.at < start + sizes[token]]
            return Made(recording, steps, "" if steps else UNCHANGED)
        case BPE():
            whole = model.ignore_merges and word in model._vocab
            return Made(said="ignore_merges is set, and the pre-token is in the vocabulary" if whole else UNCHANGED)
        case WordPiece() if recording := model_recording(model, word):
            found = [n for n, step in enumerate(recording) if isinstance(step, LongestMatch)]
            is_whole = not isinstance(recording[-1], LongestMatch)  # the word is unknown or too long
            first = found[token - 1] + 1 if token and not is_whole else 0
            return Made(recording, range(first, len(recording) if is_whole else found[token] + 1))
        case Unigram() if not model.alpha and (pieces := _pieces_of(model, word)):
            recording = two_best_paths(word, pieces, model._scores.unknown)
            fused = model._fused(model._segmented(word))
            ends = accumulate(map(len, fused))
            # subtle: the bytes of an unknown piece are several tokens, which end at the same place.
            ends_of_tokens = [end for piece, end in zip(fused, ends, strict=True) for _ in model._with_ids(piece)]
            return Made(recording, best_path_steps(recording, ends_of_tokens[token]))
    return Made(model_recording(model, word))


class _LookedUp(Mapping[Ids, Ids]):
    """The merges of a table that were looked up so far: a recording contains them, not the whole table."""

    def __init__(self, table: Mapping[Ids, Ids]) -> None:
        self.table = table
        self.found: dict[Ids, Ids] = {}

    def __getitem__(self, pair: Ids) -> Ids:
        self.found[pair] = merge = self.table[pair]
        return merge

    def __iter__(self) -> Iterator[Ids]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


def _merges(model: BPE, word: str) -> Recording[Any, Any] | None:
    if model.ignore_merges and not model.dropout and word in model._vocab:
        return None
    token = model._tokens_by_id
    symbols = model._initial_symbols(word)[0]
    looked_up = _LookedUp(model._merges)
    encode_by_pairs(symbols, looked_up)
    merges = {(token[left], token[right]): (rank, token[made]) for (left, right), (rank, made) in looked_up.items()}
    return encode_by_pairs.record([token[id] for id in symbols], merges)


def _best_path(model: Unigram, word: str) -> Recording[Any, Any] | None:
    """Record Viterbi on the pieces that occur in the word, if their scores are log probabilities."""
    pieces = _pieces_of(model, word)
    return viterbi.record(word, pieces, model._scores.unknown) if pieces else None


def _pieces_of(model: Unigram, word: str) -> dict[str, float]:
    """Return the pieces that occur in the word; none if a score is above 0 or not finite."""
    lattice = build_lattice(word, model._scores.trie, model._scores.unknown)
    return log_probs(lattice, model._vocab)
