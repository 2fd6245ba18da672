"""Rank files: read from disk, from tiktoken's cache folder, or downloaded; checked; written atomically.

A `.tiktoken` file has one line per token: the token in base64, a space, its rank.
Adds: an error message for every defect of such a file, and of ranks in general (`check_ranks`). The package docstring
    lists the differences from tiktoken.

Source: tiktoken/load.py.
"""

from __future__ import annotations

import binascii
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER, symbols_to_bytes
from tokenlab.printing.errors import warn
from tokenlab.printing.printable import printable
from tokenlab.storage import files


def check_ranks(ranks: Mapping[bytes, int]) -> None:
    """Check a table of ranks before encoding with it; `Encoding` itself accepts what tiktoken accepts.

    Raises:
        ValueError: two tokens share a rank, a rank is left out, or a single byte has none.

    >>> check_ranks({b"a": 0, b"b": 0})
    Traceback (most recent call last):
    ...
    ValueError: ranks: the tokens a and b both have rank 0; give each token a different rank
    """
    owner: dict[int, bytes] = {}
    for token, rank in ranks.items():
        if rank in owner:
            both = f"{printable(owner[rank])} and {printable(token)}"
            raise ValueError(f"ranks: the tokens {both} both have rank {rank}; give each token a different rank")
        owner[rank] = token
    if gap := [rank for rank in range(len(ranks)) if rank not in owner]:
        raise ValueError(
            f"ranks: no token has rank {gap[0]}, but ranks go up to {max(owner)}; count them from 0 without a gap"
        )
    if absent := [byte for byte in range(256) if bytes([byte]) not in ranks]:
        raise ValueError(
            f"ranks: {len(absent)} of the 256 bytes have no rank, first {absent[0]:#04x}; "
            "without them not every text can be encoded, so give each byte a rank"
        )


# OpenAI's rank files, by name.
SHA256 = {
    "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}

TIMEOUT_SECONDS = 30  # how long to wait for a silent server


# --- reading files ------------------------------------------------------------------------------


def read_file(blobpath: str) -> bytes:
    """Return the bytes of a local file or of an http(s) address.

    Raises:
        OSError: the file cannot be read; ConnectionError if it cannot be downloaded.
        ValueError: the address has another scheme.
    """
    if "://" not in blobpath:
        return Path(blobpath).read_bytes()
    if not blobpath.startswith(("http://", "https://")):
        raise ValueError(f"blobpath={blobpath!r} is neither a local file nor an http(s) address; download it yourself")
    return _download(blobpath)


def _download(address: str) -> bytes:
    from urllib.request import urlopen

    try:
        with urlopen(address, timeout=TIMEOUT_SECONDS) as response:
            return bytes(response.read())
    except OSError as error:
        raise ConnectionError(f"{address} cannot be downloaded: {error}") from error


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Whether the bytes have the given SHA-256.

    >>> check_hash(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    True
    """
    return sha256(data) == expected_hash


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes, as hexadecimal digits.

    >>> sha256(b"")[:8]
    'e3b0c442'
    """
    import hashlib  # here, because it loads OpenSSL, and most programs read files without a hash

    return hashlib.sha256(data).hexdigest()


def read_file_cached(blobpath: str, expected_hash: str | None = None) -> bytes:
    """Return the bytes of a local file or of an address: from the cache folder, or downloaded and stored there.

    The cache folder is TIKTOKEN_CACHE_DIR, DATA_GYM_CACHE_DIR, or a folder among the temporary files; an empty name
    disables the cache. A cached file is named by the SHA-1 of its address, so tiktoken and this kit share the cache.

    Raises:
        OSError: the file cannot be read; ConnectionError if it is neither cached nor can be downloaded.
        ValueError: the cached or downloaded file has another hash.
    """
    if "://" not in blobpath:
        return _checked(read_file(blobpath), expected_hash, blobpath, "get a new copy of it")
    cache_path = _cache_path(blobpath)
    if cache_path is None:
        return _checked(read_file(blobpath), expected_hash, blobpath, "try again")
    if cache_path.exists():
        return _checked(
            cache_path.read_bytes(), expected_hash, f"{cache_path}, kept for {blobpath},", "delete it and try again"
        )
    return _store_in_cache(cache_path, _checked(_fetch(blobpath, cache_path), expected_hash, blobpath, "try again"))


def _cache_path(address: str) -> Path | None:
    import hashlib
    import tempfile

    default = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", default))
    return Path(folder) / hashlib.sha1(address.encode()).hexdigest() if folder else None


def _checked(data: bytes, expected_hash: str | None, name: str, hint: str) -> bytes:
    if expected_hash is None or check_hash(data, expected_hash):
        return data
    raise ValueError(
        f"{name} is damaged or is another file: its SHA-256 is {sha256(data)} "
        f"and should be {expected_hash}; it was not used; {hint}"
    )


def _fetch(address: str, cache_path: Path) -> bytes:
    try:
        return read_file(address)
    except ConnectionError as error:
        raise ConnectionError(
            f"{error}. Without a network: get that file elsewhere, and put it into the folder {cache_path.parent} "
            f"under the name {cache_path.name}; or set TIKTOKEN_CACHE_DIR to a folder that has it under this name"
        ) from error


def _store_in_cache(cache_path: Path, data: bytes) -> bytes:
    import uuid

    temporary = cache_path.with_name(f"{cache_path.name}.{uuid.uuid4()}.tmp")
    try:
        cache_path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.replace(cache_path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        # The default folder may belong to another user; a folder that was set explicitly must be writable.
        if {"TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"} & os.environ.keys():
            raise
    return data


# --- .tiktoken files ------------------------------------------------------------------------------


def load_tiktoken_bpe(tiktoken_bpe_file: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """Load the ranks of a `.tiktoken` file from the disk, the cache folder or an address.

    A file with the expected hash is accepted as it is. (p50k_base leaves out the rank 50256.) Without a hash the file
    must be complete: every line ended, each rank from 0 on exactly once, all 256 bytes present. A file that was
    truncated at the end of a line, after the 256 bytes, still passes these checks (and loads in tiktoken, which checks
    less): only its hash shows the damage, so give `expected_hash` if you know it.

    Raises:
        ValueError: a line cannot be read (file and line are named), the file is incomplete, or its hash differs.
        OSError: as `read_file_cached`.

    Warns:
        UserWarning: without `expected_hash`, the file has the name of a file of OpenAI, but another SHA-256. tiktoken
            loads it silently.
    """
    contents = read_file_cached(tiktoken_bpe_file, expected_hash)
    if expected_hash is None:
        _warn_if_not_public(tiktoken_bpe_file, contents)
    lines = [(number, line) for number, line in enumerate(contents.splitlines(), start=1) if line]
    entries = [(number, *_parse(line, f"{tiktoken_bpe_file}, line {number}")) for number, line in lines]
    if expected_hash is None:
        _check_end(contents, tiktoken_bpe_file)
        _check_file_ranks(entries, tiktoken_bpe_file)
    return {token: rank for _, token, rank in entries}


def _warn_if_not_public(file: str, contents: bytes) -> None:
    name = Path(file).name.removesuffix(".tiktoken")
    if name in SHA256 and not check_hash(contents, SHA256[name]):
        problem = f"has the name of OpenAI's {name}, but another SHA-256 than {SHA256[name]}"
        warn(f"{file} {problem}; it is damaged or another file: download it again")


def _parse(line: bytes, where: str) -> tuple[bytes, int]:
    try:
        token, rank = line.split()
        if not rank.isdigit():
            raise ValueError
        return binascii.a2b_base64(token, strict_mode=True), int(rank)
    except (ValueError, binascii.Error):
        raise ValueError(
            f"{where}: {line!r:.80} should be a token in base64, a space and its rank, such as b'IQ== 0'; "
            "the file is damaged or of another kind"
        ) from None


def _check_end(contents: bytes, file: str) -> None:
    if not contents.endswith((b"\n", b"\r")):
        raise ValueError(
            f"{file} has no line end after its last line {contents[-40:].splitlines()[-1:]}: "
            "it may be truncated; if it is complete, add a line end"
        )


def _check_file_ranks(entries: list[tuple[int, bytes, int]], file: str) -> None:
    line_of: dict[bytes | int, int] = {}
    for number, token, rank in entries:
        for name, value in ("token", token), ("rank", rank):
            if value in line_of:
                raise ValueError(f"{file}, line {number}: the {name} {value!r} is also in line {line_of[value]}")
            line_of[value] = number
    try:
        check_ranks({token: rank for _, token, rank in entries})
    except ValueError as error:
        on_purpose = "if the file should be like this, say so with expected_hash=, its SHA-256"
        raise ValueError(f"{file}: {error}; {on_purpose}") from None


def dump_tiktoken_bpe(bpe_ranks: Mapping[bytes, int], tiktoken_bpe_file: str) -> None:
    """Write ranks, lowest first, atomically: an interrupted write leaves the old file.

    Raises:
        OSError: the file cannot be written.
    """
    ordered = sorted(bpe_ranks.items(), key=lambda item: item[1])
    lines = (f"{binascii.b2a_base64(token, newline=False).decode()} {rank}\n" for token, rank in ordered)
    files.write_atomically(tiktoken_bpe_file, lines)


# --- GPT-2's files --------------------------------------------------------------------------------


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: str,
    encoder_json_file: str,
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,
) -> dict[bytes, int]:
    """Return the ranks of GPT-2's tokens: its bytes in GPT-2's order, then the merged tokens; both files must agree.

    Args:
        vocab_bpe_file: the merges, in byte symbols; also known as merges.txt.
        encoder_json_file: the id of each token, in byte symbols; also known as vocab.json.
        vocab_bpe_hash: the SHA-256 of vocab_bpe_file.
        encoder_json_hash: the SHA-256 of encoder_json_file.
        clobber_one_byte_tokens: take the ids of single bytes from the second file.

    Raises:
        ValueError: a line cannot be read (file and line are named), the files disagree, or a hash differs.
        OSError: as `read_file_cached`.
    """
    ranks = {bytes([byte]): rank for rank, byte in enumerate(GPT2_ORDER)}
    merged = _parse_merges(read_file_cached(vocab_bpe_file, vocab_bpe_hash), vocab_bpe_file)
    ranks |= {token: rank for rank, token in enumerate(merged, start=256)}
    encoder = _parse_encoder_json(read_file_cached(encoder_json_file, encoder_json_hash), encoder_json_file)
    if clobber_one_byte_tokens:
        ranks |= {token: id for token, id in encoder.items() if len(token) == 1}
    for token in [*ranks, *encoder]:
        if ranks.get(token) != encoder.get(token):
            raise ValueError(
                f"{vocab_bpe_file} and {encoder_json_file} do not belong together: the token {printable(token)} has "
                f"rank {ranks.get(token)} in the first and id {encoder.get(token)} in the second"
            )
    return ranks


def _parse_merges(contents: bytes, file: str) -> Iterator[bytes]:
    # The first line is the version; nothing comes after the last line end.
    for number, line in enumerate(contents.split(b"\n")[1:-1], start=2):
        try:
            left, right = line.decode().split()
            yield symbols_to_bytes(left) + symbols_to_bytes(right)
        except ValueError as error:
            raise ValueError(
                f"{file}, line {number}: {line!r:.80} should be two tokens in byte symbols ({error})"
            ) from None


def _parse_encoder_json(contents: bytes, file: str) -> dict[bytes, int]:
    import json

    try:
        encoder: dict[str, Any] = json.loads(contents)
        special = {"<|endoftext|>", "<|startoftext|>"}
        return {symbols_to_bytes(symbols): id for symbols, id in encoder.items() if symbols not in special}
    except (ValueError, AttributeError) as error:
        raise ValueError(f"{file} should be a JSON object from tokens in byte symbols to ids: {error}") from None
