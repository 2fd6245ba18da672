"""The page `why`: a reader drops a tokenizer, types a text, and sees in this tab why it is split that way."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import live_site
from tests.tokenizer_folders import folder_files
from tests.why.tokenizer_files import FILES, content
from tokenlab.why import in_tab

TEXT = "the house, é 🙂"
HOSTILE = "</script><script>document.title='bad'</script><img src=x onerror=\"document.title='bad'\">&amp;\u202e"
LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}
KINDS = (*(name for name in FILES if name != "cl100k_ranks"), "subwords")
PATIENCE = 120_000  # milliseconds, on a slow machine


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site without lessons, on a server."""
    with live_site(tmp_path_factory, []) as address:
        yield f"{address}/why.html"


@dataclass
class Why:
    """The page, opened in a window of its own."""

    page: Page
    asked: list[str] = field(default_factory=list)  # requests to other hosts

    def drop(self, name: str, raw: bytes, slot: int = 0) -> None:
        """Choose a file."""
        with self.taken(name, slot):
            chooser = self.page.locator("input[type=file]").nth(slot)
            chooser.set_input_files({"name": name, "mimeType": "", "buffer": raw})

    @contextmanager
    def taken(self, name: str, slot: int = 0) -> Iterator[None]:
        """Wait until the page has taken what was chosen meanwhile: then it shows no answer about an earlier file."""
        summary = self.page.locator(".why-summary").nth(slot)
        summary.evaluate("element => { element.textContent = '' }")
        yield
        expect(summary).to_contain_text(name)

    def type(self, text: str) -> None:
        """Type a text."""
        self.page.locator(".why-text textarea").fill(text)

    def rows(self, text: str) -> list[list[str]]:
        """Return the cells of the table, when it is that of a text."""
        table = self.page.locator(".why-tokens:has(.why-table)")
        error = self.page.locator(".why-error:not([hidden])")
        covered = table.get_by_text(f"{len(text):,} characters")
        expect(covered.or_(error).first).to_be_visible(timeout=PATIENCE)
        expect(error).to_have_count(0)
        rows = self.page.locator(".why-table tbody tr")
        return [[cell.strip() for cell in row.locator("td").all_inner_texts()] for row in rows.all()]

    def error(self) -> str:
        """Return the message, when there is one."""
        message = self.page.locator(".why-error:not([hidden])")
        expect(message).to_be_visible(timeout=PATIENCE)
        return message.inner_text()

    def part(self, name: str) -> Any:
        """Return a section of the results."""
        return self.page.locator(f"section.why-{name}")


@pytest.fixture(scope="module")
def opened(browser: Browser, address: str) -> Iterator[Why]:
    """The page in a window that stays open for the tests of this file; an error of a script fails the test."""
    yield from window(browser, address)


def window(browser: Browser, address: str, **options: Any) -> Iterator[Why]:
    context = browser.new_context(**{"viewport": LAPTOP} | options)
    page = context.new_page()
    wrong: list[str] = []
    why = Why(page)
    page.on("pageerror", lambda error: wrong.append(error.stack or str(error)))
    page.on("request", lambda request: None if "127.0.0.1" in request.url else why.asked.append(request.url))
    page.goto(address)
    yield why
    context.close()
    assert wrong == []


def natively(name: str, raw: bytes, text: str, folder: Path, **options: Any) -> dict[str, Any]:
    """Return what Python says here."""
    (folder / "native").mkdir()
    (folder / "native" / name).write_bytes(raw)
    found = json.loads(in_tab.load_file("first", str(folder / "native"), name, json.dumps(options)))
    return found if "error" in found else dict(json.loads(in_tab.explain("first", text)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_each_kind_is_explained_as_by_python_here(opened: Why, kind: str, tmp_path: Path) -> None:
    expected = natively("file.bin", content(kind), TEXT, tmp_path)
    opened.type("")
    opened.drop("file.bin", content(kind))
    opened.rows("")
    opened.type(TEXT)
    rows = opened.rows(TEXT)
    assert [row[:3] for row in rows] == [
        [row["token"], str(row["id"]), "-".join(map(str, row["offsets"])) if row["offsets"] else "-"]
        for row in expected["tokens"]
    ]
    assert [row[4:] for row in rows] == [[row["bytes"] or "", row["note"]] for row in expected["tokens"]]
    stages = opened.part("stages").locator("ol > li")
    assert [stage.split(": ")[0] for stage in stages.all_inner_texts()] == [one["name"] for one in expected["stages"]]
    expect(opened.part("words").locator("h3")).to_have_count(len(expected["words"]))
    for word in expected["words"]:
        for line in word["why"]:
            expect(opened.part("words")).to_contain_text(line)
    expect(opened.part("player").locator(".tl")).to_have_count(1 if expected["player"] else 0)
    assert opened.asked == []


@pytest.mark.parametrize(
    ("kind", "token", "lines", "caption"),
    [
        ("sentencepiece_unigram", "use", ["is the best of 2 pieces", "▁house", "75 73 65"], "use is the best of 2"),
        ("sentencepiece_bpe", "ou", ["o + u became ou", "▁house", "6f 75"], "o + u became ou"),
        ("subwords", "use", ["use matches", "house", "75 73 65"], "house"),
        ("vocab", "##se", ["##se is in the vocabulary", "house", "73 65"], "##se is in the vocabulary"),
        ("ranks", "␣h", ["␣ + h became ␣h", "␣house", "20 68"], "␣ + h became ␣h"),
        ("byte_level", "Ġh", ["Ġ + h became Ġh", "Ġhouse", "20 68"], "Ġ + h became Ġh"),
    ],
)
def test_a_click_on_a_token_shows_its_steps_and_its_bytes(
    opened: Why, kind: str, token: str, lines: list[str], caption: str
) -> None:
    opened.drop("file.bin", content(kind))
    opened.type("the house")
    opened.rows("the house")
    button = opened.page.locator(".why-table tbody button").get_by_text(token, exact=True)
    button.focus()
    opened.page.keyboard.press("Enter")
    found = opened.part("origin")
    expect(found.locator("h2")).to_have_text(f"How {token} came about", timeout=PATIENCE)
    expect(found.locator("h2")).to_be_focused()
    expect(button).to_have_attribute("aria-pressed", "true")
    listed = found.locator("ol > li").all_inner_texts()
    places = [next(n for n, said in enumerate(listed) if line in said) for line in lines]
    assert places == sorted(places)  # backwards to the bytes
    expect(found.locator(".tl-caption")).to_contain_text(caption, ignore_case=True)


def test_all_pre_tokens_are_explained_on_request(opened: Why) -> None:
    opened.drop("file.bin", content("subwords"))
    text = "one two three four five six"
    opened.type(text)
    opened.rows(text)
    shown = opened.part("words").locator("h3")
    expect(shown).to_have_count(4)
    opened.page.get_by_role("button", name="Explain the other 2 pre-tokens").click()
    expect(shown).to_have_count(6, timeout=PATIENCE)


def test_what_a_reader_types_is_text_and_never_markup(opened: Why) -> None:
    for kind in ("sentencepiece_unigram", "subwords"):
        opened.drop(f"{HOSTILE.replace('/', '')}.bin", content(kind))
        opened.type(HOSTILE)
        opened.rows(HOSTILE)
        opened.page.locator(".why-table tbody button").first.click()
        expect(opened.part("origin")).to_be_visible(timeout=PATIENCE)
        assert opened.page.locator("#tokenlab-why :is(img, script:not([type]))").count() == 0
        assert opened.page.title() != "bad"


def test_a_file_that_replaces_one_at_work_is_the_one_that_is_explained(opened: Why) -> None:
    opened.type("a")
    for _ in range(4):
        opened.drop("english.subwords", content("subwords"))
        opened.rows("a")
        opened.type("aa")  # its explanation, too, may come after the next file
        opened.drop("bpe.json", content(KINDS[0]))
        opened.drop("damaged.json", b"")
        opened.error()
        expect(opened.part("tokens")).to_be_hidden()
        opened.drop("bpe.json", content(KINDS[0]))
        opened.drop("english.subwords", content("subwords"))
        assert opened.rows("aa")[-1][0].endswith("_")
        opened.type("a")


@pytest.mark.parametrize("damaged", [b"", b'{"a": 0, "b": 1}', b"\x1f\x8bgzip", b"just some words\n"])
def test_a_damaged_file_gets_the_message_of_the_command(opened: Why, damaged: bytes, tmp_path: Path) -> None:
    opened.type("a")
    opened.drop("file.json", damaged)
    assert opened.error() == natively("file.json", damaged, "a", tmp_path)["error"]
    expect(opened.part("tokens")).to_be_hidden()
    opened.drop("english.subwords", content("subwords"))
    assert [row[0] for row in opened.rows("a")] == ["a_"]


def test_a_huge_file_is_not_read(opened: Why) -> None:
    opened.page.evaluate(
        """() => {
            const files = new DataTransfer(), part = new Uint8Array(1 << 20);
            files.items.add(new File(Array(201).fill(part), "huge.model"));
            const input = document.querySelector("input[type=file]");
            input.files = files.files;
            input.dispatchEvent(new Event("change"));
        }"""
    )
    assert opened.error() == "huge.model has 211 MB, more than the 200 MB that a tab reads; run python -m tokenlab why"


def test_several_files_are_read(opened: Why) -> None:
    opened.type("the house")
    files = [{"name": name, "mimeType": "", "buffer": raw} for name, raw in folder_files("gpt2").items()]
    opened.page.locator("input[type=file]").first.set_input_files(files)  # type: ignore[arg-type]
    expect(opened.page.locator(".why-summary").first).to_contain_text("BPE", timeout=PATIENCE)
    assert opened.rows("the house")[1][0] == "he"


DROPPED = {  # files and folders: what is in them, what the page says of them, and their tokens of "the"
    "tokenizer.json": ("byte_level", "BPE, 600 tokens", ["<s>", "t", "he", "</s>"]),
    "small.tiktoken": ("ranks", "tiktoken", ["t", "he"]),
    "spiece.model": ("sentencepiece_unigram", "sentencepiece model, unigram", ["▁the"]),
    "vocab.txt": ("vocab", "WordPiece", ["[CLS]", "the", "[SEP]"]),
    "english.subwords": ("subwords", "tensor2tensor", ["the_"]),
    "bert.zip": ("a folder", "WordPiece", ["[CLS]", "the", "[SEP]"]),
    "bert": ("a folder", "WordPiece", ["[CLS]", "the", "[SEP]"]),
}


def write_dropped(path: Path, kind: str) -> None:
    """Write a file; or a folder, with files that are no part of a tokenizer; or an archive of one."""
    if kind != "a folder":
        path.write_bytes(content(kind))
        return
    folder = path.with_suffix("")
    (folder / "onnx").mkdir(parents=True)
    for name, raw in folder_files("bert").items():
        (folder / name).write_bytes(raw)
    if path != folder:
        shutil.make_archive(str(folder), "zip", path.parent, folder.name)
    for name in (".hidden", "model.safetensors", "onnx/model.onnx"):
        (folder / name).write_bytes(b"0")


@pytest.mark.parametrize("name", DROPPED)
def test_a_file_of_each_kind_and_a_folder_can_be_dropped(opened: Why, name: str, tmp_path: Path) -> None:
    kind, said, tokens = DROPPED[name]
    write_dropped(tmp_path / name, kind)
    opened.type("the")
    opened.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    box = opened.page.locator(".why-drop").first.bounding_box()
    assert box
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(tmp_path / name)], "dragOperationsMask": 1}
    protocol = opened.page.context.new_cdp_session(opened.page)
    shown = name if name != "bert" else f"{len(folder_files('bert'))} files"
    with opened.taken(shown):
        for event in ("dragEnter", "dragOver", "drop"):
            protocol.send("Input.dispatchDragEvent", {"type": event, **place, "data": data})
    summary = opened.page.locator(".why-summary").first
    expect(summary).to_contain_text(re.compile(f"^{re.escape(shown)}: .*{said}"), timeout=PATIENCE)
    assert [row[0] for row in opened.rows("the")] == tokens


def test_two_files_are_compared(opened: Why) -> None:
    opened.drop("one.model", content("sentencepiece_unigram"))
    opened.type("the house")
    opened.rows("the house")
    opened.page.get_by_text("Compare with a second tokenizer").click()
    opened.drop("two.subwords", content("subwords"), slot=1)
    found = opened.part("comparison")
    expect(found).to_contain_text("The first difference is at 4:", timeout=PATIENCE)
    expect(found).to_contain_text("two.subwords: ho (id 54), offsets 4-6")
    opened.type("the")
    expect(found).to_contain_text("Both split this text in the same places", timeout=PATIENCE)
    opened.page.get_by_role("button", name="Remove").click()
    expect(found).to_be_hidden()


def test_a_repository_of_the_hub_is_fetched_by_the_page(opened: Why) -> None:
    files = folder_files("t5")
    asked: list[str] = []

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        asked.append(name)
        head = {"Access-Control-Allow-Origin": "*"}
        route.fulfill(status=200 if name in files else 404, body=files.get(name, b""), headers=head)

    opened.page.route("https://huggingface.co/someone/t5/resolve/main/*", answer)
    opened.page.route("https://huggingface.co/someone/secret/**", lambda route: route.fulfill(status=401))
    opened.page.route("https://huggingface.co/someone/away/**", lambda route: route.abort())
    hub = opened.page.get_by_label("a repository of the Hugging Face hub").first
    opened.type("the")
    for name, said in (
        ("not a name!", "is not the name of a repository"),
        ("someone/secret", "has no public repository someone/secret, or asks for a login"),
        ("someone/away", "https://huggingface.co cannot be reached from this browser"),
    ):
        hub.fill(name)
        hub.press("Enter")
        expect(opened.page.locator(".why-error")).to_contain_text(said, timeout=PATIENCE)
    hub.fill("someone/t5")
    opened.page.get_by_role("button", name="Fetch").first.click()
    expect(opened.page.locator(".why-summary").first).to_contain_text("someone/t5: ", timeout=PATIENCE)
    assert opened.rows("the")[0][0] == "▁the" and "tokenizer_config.json" in asked
    opened.asked.clear()


def test_the_text_is_in_the_link_and_the_file_is_not(browser: Browser, opened: Why, address: str) -> None:
    opened.drop("one.subwords", content("subwords"))
    opened.type(TEXT)
    opened.rows(TEXT)
    opened.page.locator(".tokenlab-copy").click()
    opened.page.wait_for_url("**#try=*")
    link = opened.page.url
    assert len(link) < 300
    for other in window(browser, link):
        expect(other.page.locator(".why-text textarea")).to_have_value(TEXT)
        expect(other.part("tokens")).to_be_hidden()
    for other in window(browser, f"{address}#try=1.damaged"):
        assert other.error() == "This link is damaged; type a text instead."


def test_the_sample_needs_one_button(opened: Why) -> None:
    opened.type("")
    opened.page.get_by_role("button", name=re.compile("Try small.tiktoken")).click()
    text = "Two  spaces, naïve 日本語, 👩‍👧 and a space "
    expect(opened.page.locator(".why-text textarea")).to_have_value(text)
    rows = opened.rows(text)
    assert rows[0][0] == "T" and any(row[5] == "a part of a character" for row in rows)


@pytest.mark.parametrize(("scheme", "size"), [("dark", LAPTOP), ("light", PHONE)])
def test_the_page_fits_each_screen_and_axe_finds_nothing(
    browser: Browser, address: str, scheme: str, size: dict[str, int]
) -> None:
    text = "the house " + "x" * 300
    for why in window(browser, address, color_scheme=scheme, viewport=size):
        why.drop("one.model", content("sentencepiece_bpe"))
        why.type(text)
        why.rows(text)
        why.page.locator(".why-table tbody button").nth(1).click()
        expect(why.part("origin").locator(".tl")).to_be_visible(timeout=PATIENCE)
        for summary in why.page.locator("#tokenlab-why > details > summary").all():
            summary.click()
        why.drop("two.subwords", content("subwords"), slot=1)
        expect(why.part("comparison")).to_be_visible(timeout=PATIENCE)
        assert why.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        controls = "[...document.querySelectorAll('#tokenlab-why :is(button, input, select, textarea)')]"
        seen = "!e.closest('.why-table, .tl-tracks') && e.checkVisibility()"
        wide = f"{controls}.filter((e) => {seen} && e.getBoundingClientRect().right > innerWidth)"
        assert why.page.evaluate(f"{wide}.map((e) => e.outerHTML)") == []
        why.page.evaluate("scrollTo(0, 0)")  # further down, Furo's link to the top is outside of all landmarks
        expect(why.page.locator(".back-to-top")).to_be_hidden()
        found = Axe().run(why.page, options={"preload": False}).response["violations"]
        assert [(rule["id"], node["target"], node["html"]) for rule in found for node in rule["nodes"]] == []
