"""Archives are unpacked into their folder and nowhere else, whole; what is fetched is fetched once, whole."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tokenlab.libraries.tensor2tensor.archives import gunzip_file, maybe_download, unpack


def tar(path: Path, *members: tuple[str, bytes | None, bytes, str], mode: str = "w:gz") -> Path:
    """An archive of members: name, content, type, and where a link leads."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content, kind, link in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(content or b"")
            archive.addfile(info, io.BytesIO(content or b""))
    return path


def file(name: str, content: bytes = b"content") -> tuple[str, bytes, bytes, str]:
    return name, content, tarfile.REGTYPE, ""


def below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_a_tar_is_unpacked_with_its_folders(tmp_path: Path, mode: str) -> None:
    folder = ("deep", None, tarfile.DIRTYPE, "")
    archive = tar(tmp_path / "a.tgz", folder, file("deep/one.txt", "é\r\n".encode()), file("./two"), mode=mode)
    unpack(archive, tmp_path / "out")
    assert below(tmp_path / "out") == {"deep/one.txt": "é\r\n".encode(), "two": b"content"}


def test_a_zip_is_unpacked_with_its_folders(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("deep/", "")
        archive.writestr("deep/one.txt", "日本")
    unpack(tmp_path / "a.zip", tmp_path / "out")
    assert below(tmp_path / "out") == {"deep/one.txt": "日本".encode()}


LEADING_OUT = [
    ("/etc/passwd", "is an absolute path"),
    ("../outside", "leads to a parent folder"),
    ("deep/../../outside", "leads to a parent folder"),
    ("deep\\..\\..\\outside", "leads to a parent folder"),
    ("C:\\outside", "is an absolute path"),
    ("C:outside", "is an absolute path"),
    ("\\\\server\\share\\file", "is an absolute path"),
    ("\\outside", "is an absolute path"),
    ("..", "leads to a parent folder"),
]


@pytest.mark.parametrize(("name", "why"), LEADING_OUT)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_path_that_leads_out_is_refused_before_anything_is_written(
    tmp_path: Path, name: str, why: str, kind: str
) -> None:
    path = tmp_path / f"a.{kind}"
    if kind == "tar":
        tar(path, file("harmless"), file(name))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("harmless", "")
            archive.writestr(zipfile.ZipInfo(name), "content")
    with pytest.raises(ValueError, match=rf"was not unpacked: its member .* {why}, and may write outside the folder"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "out").exists() and not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a device"),
    ],
)
@pytest.mark.parametrize("target", ["..", "/etc", "harmless"])
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes, why: str, target: str) -> None:
    archive = tar(tmp_path / "a.tar", file("harmless"), ("odd", None, kind, target), file("odd/passwd"))
    with pytest.raises(ValueError, match=rf"its member 'odd' is {why}"):
        unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("odd")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc")
    with pytest.raises(ValueError, match=r"its member 'odd' is a link"):
        unpack(tmp_path / "a.zip", tmp_path / "out")


def test_a_link_that_lies_in_the_folder_already_leads_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "deep").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match=r"'deep/one' has a link in its path that leads outside"):
        unpack(tar(tmp_path / "a.tar", file("deep/one")), tmp_path / "out")
    assert below(tmp_path / "elsewhere") == {}


def test_a_torn_archive_leaves_no_half_file(tmp_path: Path) -> None:
    content = os.urandom(200_000)
    whole = tar(tmp_path / "whole.tgz", file("first", b"short"), file("second", content)).read_bytes()
    for end in (10, 60, len(whole) // 2, len(whole) - 500):
        (tmp_path / "torn.tgz").write_bytes(whole[:end])
        with pytest.raises(ValueError, match=r"torn\.tgz' cannot be unpacked .* damaged, or not an archive.*download"):
            unpack(tmp_path / "torn.tgz", tmp_path / "out")
        assert all(name == "first" for name in below(tmp_path / "out")) if (tmp_path / "out").exists() else True


def test_a_torn_xz_leaves_no_half_file(tmp_path: Path) -> None:
    whole = tar(tmp_path / "whole.txz", file("first"), file("second", os.urandom(50_000)), mode="w:xz").read_bytes()
    for torn in (whole[:20_000], whole[:20_000] + b"\xff" * 64 + whole[20_064:]):
        (tmp_path / "torn.txz").write_bytes(torn)
        with pytest.raises(ValueError, match="cannot be unpacked"):
            unpack(tmp_path / "torn.txz", tmp_path / "out")
        assert not (tmp_path / "out" / "second").exists()


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("one", "content")
    packed = bytearray((tmp_path / "a.zip").read_bytes())
    for start, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.index(start) + place] |= 1
    (tmp_path / "a.zip").write_bytes(packed)
    with pytest.raises(ValueError, match=r"cannot be unpacked .*encrypted"):
        unpack(tmp_path / "a.zip", tmp_path / "out")
    assert below(tmp_path / "out") == {}


@pytest.mark.parametrize("content", [b"", b"no archive at all", b"PK\x03\x04 no zip"])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tgz").write_bytes(content)
    with pytest.raises(ValueError, match=r"cannot be unpacked"):
        unpack(tmp_path / "a.tgz", tmp_path / "out")


@pytest.mark.parametrize("size", [2**70, 2**63 - 1, 2**62, -1, -512, -(2**40)])
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_member_of_a_size_that_no_file_has_is_refused(
    tmp_path: Path, packed: Callable[[bytes], bytes], size: int
) -> None:
    member = tarfile.TarInfo("a.txt")
    member.size = size
    (tmp_path / "a.tar").write_bytes(packed(member.tobuf(tarfile.GNU_FORMAT) + b"x" * 512 + bytes(1024)))
    with pytest.raises(ValueError, match=r"a\.tar' cannot be unpacked"):
        unpack(tmp_path / "a.tar", tmp_path / "out")


def test_a_missing_archive_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nowhere.tgz' to unpack"):
        unpack(tmp_path / "nowhere.tgz", tmp_path)


# --- gz -------------------------------------------------------------------------------------------


def test_a_gz_file_is_unpacked_once(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress("a\r\n茶".encode()) + gzip.compress(b"more"))
    gunzip_file(tmp_path / "a.gz", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == "a\r\n茶more".encode()
    (tmp_path / "a").write_bytes(b"mine")
    gunzip_file(tmp_path / "a.gz", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"mine"


@pytest.mark.parametrize("kept", [5, 100, -4])
def test_a_torn_gz_file_leaves_nothing(tmp_path: Path, kept: int) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(os.urandom(5000))[:kept])
    with pytest.raises(ValueError, match=r"a\.gz' cannot be unpacked"):
        gunzip_file(tmp_path / "a.gz", tmp_path / "a")
    assert os.listdir(tmp_path) == ["a.gz"]


def test_what_is_no_gz_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"plain text")
    with pytest.raises(ValueError, match=r"cannot be unpacked"):
        gunzip_file(tmp_path / "a.gz", tmp_path / "a")
    assert os.listdir(tmp_path) == ["a.gz"]


def test_a_gz_file_with_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"content"))
    packed[-6] ^= 1
    (tmp_path / "a.gz").write_bytes(packed)
    with pytest.raises(ValueError, match=r"cannot be unpacked"):
        gunzip_file(tmp_path / "a.gz", tmp_path / "a")
    assert not (tmp_path / "a").exists()


# --- fetching -------------------------------------------------------------------------------------


def test_a_file_is_fetched_from_a_path_once(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"first")
    for uri in (str(tmp_path / "source"), (tmp_path / "source").as_uri()):
        folder = tmp_path / f"near{len(uri)}"
        path = maybe_download(str(folder), "copy", uri)
        assert Path(path).read_bytes() == b"first" and os.listdir(folder) == ["copy"]
    (tmp_path / "source").write_bytes(b"second")
    assert Path(maybe_download(str(folder), "copy", str(tmp_path / "source"))).read_bytes() == b"first"


def test_a_fetch_that_breaks_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaking(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise ConnectionResetError("gone")
            return super().read(3)

    monkeypatch.setattr("tokenlab.libraries.tensor2tensor.archives.urlopen", lambda uri: Breaking(b"content"))
    with pytest.raises(ConnectionResetError):
        maybe_download(str(tmp_path), "copy", "https://example.org/copy")
    assert os.listdir(tmp_path) == []


def test_an_address_is_read_by_urllib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "tokenlab.libraries.tensor2tensor.archives.urlopen", lambda uri: asked.append(uri) or io.BytesIO(b"content")
    )
    assert Path(maybe_download(str(tmp_path), "copy", "http://example.org/x")).read_bytes() == b"content"
    assert asked == ["http://example.org/x"]


def test_other_addresses_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"uri='gs://bucket/file' cannot be read; give a path, or a URL"):
        maybe_download(str(tmp_path), "copy", "gs://bucket/file")
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nowhere' to copy"):
        maybe_download(str(tmp_path), "copy", str(tmp_path / "nowhere"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["", ".", "./."])
def test_a_file_without_a_name_is_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    archive = tar(tmp_path / "a.tgz", file("good"), file(name))
    with pytest.raises(ValueError, match=r"is a file without a name; the archive is damaged"):
        unpack(archive, tmp_path / "out")
    assert below(tmp_path / "out") == {}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr(zipfile.ZipInfo("." if name == "" else name), b"content")
    with pytest.raises(ValueError, match=r"is a file without a name; the archive is damaged"):
        unpack(tmp_path / "a.zip", tmp_path / "out")


def test_the_folder_itself_may_be_a_member(tmp_path: Path) -> None:
    archive = tar(tmp_path / "a.tgz", (".", None, tarfile.DIRTYPE, ""), file("./one"))
    unpack(archive, tmp_path / "out")
    assert below(tmp_path / "out") == {"one": b"content"}
