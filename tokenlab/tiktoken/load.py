"""Files of ranks: read from disk, from tiktoken's own cache folder, or downloaded; checked; written whole.

A `.tiktoken` file has a line for each token: the token in base64, a blank, its rank.
Adds: a sentence for whatever can be wrong with such a file. What differs from tiktoken is listed in the package.

Source: tiktoken/load.py.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tokenlab import files
from tokenlab.algorithms.byte_alphabet import GPT2_ORDER, from_glyphs
from tokenlab.algorithms.ranks import check_ranks
from tokenlab.visible import visible

SECONDS = 30  # to wait for a server that says nothing


# --- where bytes come from ------------------------------------------------------------------------


def read_file(blobpath: str) -> bytes:
    """The bytes of a local file, or of what an http(s) address names.

    Raises:
        OSError: it cannot be read; a ConnectionError where it cannot be downloaded.
        ValueError: an address of another kind.
    """
    if "://" not in blobpath:
        return Path(blobpath).read_bytes()
    if not blobpath.startswith(("http://", "https://")):
        raise ValueError(f"blobpath={blobpath!r} is neither a local file nor an http(s) address; download it yourself")
    return _download(blobpath)


def _download(address: str) -> bytes:
    from urllib.request import urlopen

    try:
        with urlopen(address, timeout=SECONDS) as response:
            return bytes(response.read())
    except OSError as error:
        raise ConnectionError(f"{address} cannot be downloaded: {error}") from error


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Whether the bytes have that SHA-256.

    >>> check_hash(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    True
    """
    return hashlib.sha256(data).hexdigest() == expected_hash


def read_file_cached(blobpath: str, expected_hash: str | None = None) -> bytes:
    """The bytes of a local file, or of an address: from the cache folder, or downloaded and kept there.

    The cache folder is named by TIKTOKEN_CACHE_DIR, by DATA_GYM_CACHE_DIR, or lies among the temporary files; an empty
    name turns it off. A file in it has the SHA-1 of its address as its name, so tiktoken and this kit share it.

    Raises:
        OSError: the file cannot be read; a ConnectionError where it is neither in the cache nor can be downloaded.
        ValueError: it is there, or was downloaded, with another hash.
    """
    if "://" not in blobpath:
        return _checked(read_file(blobpath), expected_hash, blobpath, "get a new copy of it")
    place = _place_in_cache(blobpath)
    if place is None:
        return _checked(read_file(blobpath), expected_hash, blobpath, "try again")
    if place.exists():
        return _checked(place.read_bytes(), expected_hash, f"{place}, kept for {blobpath},", "delete it and try again")
    return _keep(place, _checked(_fetch(blobpath, place), expected_hash, blobpath, "try again"))


def _place_in_cache(address: str) -> Path | None:
    import tempfile

    usual = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", usual))
    return Path(folder) / hashlib.sha1(address.encode()).hexdigest() if folder else None


def _checked(data: bytes, expected_hash: str | None, what: str, way_out: str) -> bytes:
    if expected_hash is None or check_hash(data, expected_hash):
        return data
    raise ValueError(
        f"{what} is damaged or is another file: its SHA-256 is {hashlib.sha256(data).hexdigest()} "
        f"and should be {expected_hash}; nothing of it was used; {way_out}"
    )


def _fetch(address: str, place: Path) -> bytes:
    try:
        return read_file(address)
    except ConnectionError as error:
        raise ConnectionError(
            f"{error}. Without a network: get that file elsewhere, and put it into the folder {place.parent} "
            f"under the name {place.name}; or set TIKTOKEN_CACHE_DIR to a folder that has it under this name"
        ) from error


def _keep(place: Path, data: bytes) -> bytes:
    import uuid

    beside = place.with_name(f"{place.name}.{uuid.uuid4()}.tmp")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(data)
        beside.replace(place)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        # The usual folder may be somebody else's; one that was asked for has to work.
        if {"TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"} & os.environ.keys():
            raise
    return data


# --- .tiktoken files ------------------------------------------------------------------------------


def load_tiktoken_bpe(tiktoken_bpe_file: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """The ranks in a `.tiktoken` file, from the disk, the cache folder or an address.

    A file that has the expected hash is what its maker wrote. (p50k_base leaves out the rank 50256.) Without a hash
    the file has to be whole: every line ended, each rank from 0 on given once, all 256 bytes there.

    Raises:
        ValueError: a line cannot be read (file and line are named), or the file is not whole, or its hash is another.
        OSError: as `read_file_cached`.
    """
    contents = read_file_cached(tiktoken_bpe_file, expected_hash)
    lines = [(number, line) for number, line in enumerate(contents.splitlines(), start=1) if line]
    entries = [(number, *_parse(line, f"{tiktoken_bpe_file}, line {number}")) for number, line in lines]
    if expected_hash is None:
        _check_end(contents, tiktoken_bpe_file)
        _check_ranks(entries, tiktoken_bpe_file)
    return {token: rank for _, token, rank in entries}


def _parse(line: bytes, where: str) -> tuple[bytes, int]:
    try:
        token, rank = line.split()
        if not rank.isdigit():
            raise ValueError
        return base64.b64decode(token, validate=True), int(rank)
    except (ValueError, binascii.Error):
        raise ValueError(
            f"{where}: {line!r:.80} should be a token in base64, a blank and its rank, such as b'IQ== 0'; "
            "the file is damaged or of another kind"
        ) from None


def _check_end(contents: bytes, file: str) -> None:
    if not contents.endswith((b"\n", b"\r")):
        raise ValueError(
            f"{file} has no line end after its last line {contents[-40:].splitlines()[-1:]}: "
            "it may have been cut off there; if it is whole, add a line end"
        )


def _check_ranks(entries: list[tuple[int, bytes, int]], file: str) -> None:
    line_of: dict[bytes | int, int] = {}
    for number, token, rank in entries:
        for name, value in ("token", token), ("rank", rank):
            if value in line_of:
                raise ValueError(f"{file}, line {number}: the {name} {value!r} is that of line {line_of[value]} too")
            line_of[value] = number
    try:
        check_ranks({token: rank for _, token, rank in entries})
    except ValueError as error:
        on_purpose = "if the file should be like this, say so with expected_hash=, its SHA-256"
        raise ValueError(f"{file}: {error}; {on_purpose}") from None


def dump_tiktoken_bpe(bpe_ranks: Mapping[bytes, int], tiktoken_bpe_file: str) -> None:
    """Write ranks, lowest first, beside the file's place and move them there: the old file or the new, never a half.

    Raises:
        OSError: it cannot be written.
    """
    ordered = sorted(bpe_ranks.items(), key=lambda item: item[1])
    files.write_whole(tiktoken_bpe_file, (f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ordered))


# --- GPT-2's files --------------------------------------------------------------------------------


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: str,
    encoder_json_file: str,
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,
) -> dict[bytes, int]:
    """The ranks of GPT-2's tokens: its bytes in their order, then what each merge makes; both files have to agree.

    Args:
        vocab_bpe_file: the merges, in glyphs; others call it merges.txt.
        encoder_json_file: the id of each token, in glyphs; others call it vocab.json.
        vocab_bpe_hash: its SHA-256.
        encoder_json_hash: its SHA-256.
        clobber_one_byte_tokens: take the ids of single bytes from the second file.

    Raises:
        ValueError: a line cannot be read (file and line are named), the files disagree, or a hash is another.
        OSError: as `read_file_cached`.
    """
    ranks = {bytes([byte]): rank for rank, byte in enumerate(GPT2_ORDER)}
    merged = _merged(read_file_cached(vocab_bpe_file, vocab_bpe_hash), vocab_bpe_file)
    ranks |= {token: rank for rank, token in enumerate(merged, start=256)}
    encoder = _encoder(read_file_cached(encoder_json_file, encoder_json_hash), encoder_json_file)
    if clobber_one_byte_tokens:
        ranks |= {token: id for token, id in encoder.items() if len(token) == 1}
    for token in [*ranks, *encoder]:
        if ranks.get(token) != encoder.get(token):
            raise ValueError(
                f"{vocab_bpe_file} and {encoder_json_file} do not belong together: the token {visible(token)} has the "
                f"rank {ranks.get(token)} by the first and the id {encoder.get(token)} by the second"
            )
    return ranks


def _merged(contents: bytes, file: str) -> Iterator[bytes]:
    # The first line is the version; nothing comes after the last line end.
    for number, line in enumerate(contents.split(b"\n")[1:-1], start=2):
        try:
            left, right = line.decode().split()
            yield from_glyphs(left) + from_glyphs(right)
        except ValueError as error:
            raise ValueError(f"{file}, line {number}: {line!r:.80} should be two tokens in glyphs ({error})") from None


def _encoder(contents: bytes, file: str) -> dict[bytes, int]:
    try:
        encoder: dict[str, Any] = json.loads(contents)
        special = {"<|endoftext|>", "<|startoftext|>"}
        return {from_glyphs(glyphs): id for glyphs, id in encoder.items() if glyphs not in special}
    except (ValueError, AttributeError) as error:
        raise ValueError(f"{file} should be a JSON object from tokens in glyphs to ids: {error}") from None
