"""How a model of `tokenlab.libraries.tokenizers` splits one pre-token: its steps as sentences.

Adds: for BPE the merges, for WordPiece the lookups, for Unigram the best segmentations.
Leaves out: the rules; the sentences are those of the steps of `tokenlab.algorithms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokenlab.algorithms.bpe.encode_by_pairs import PairReplaced, encode_by_pairs
from tokenlab.algorithms.unigram.lattice import build_lattice
from tokenlab.algorithms.wordpiece.encode import NotInVocabulary, encode_word
from tokenlab.libraries.tokenizers.models import BPE, Model, Unigram, WordLevel, WordPiece
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import GeneratorRun
from tokenlab.why.segmentations import segmentation_lines

FAILED = 8  # failed lookups that one line names


def model_lines(model: Model, word: str) -> list[str]:
    """Return sentences on how a model splits a pre-token.

    >>> model_lines(WordPiece({"hug": 0, "##s": 1}), "hugs")
    ['not in the vocabulary: hugs', 'hug is in the vocabulary: token at 0', '##s is in the vocabulary: token at 3']
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
