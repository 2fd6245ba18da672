"""Live explorers: their programs make what the notebooks store, and the site gets Python of the right version."""

from __future__ import annotations

import ast
import json
import re
import shutil
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from publish.lessons import Lesson, stored
from publish.live import runtime
from publish.live.cells import PROGRAM, makes_explorer, program, with_programs
from publish.site_source import Source
from tests import skips
from tests.publish.made_up import code, lesson
from tests.scripts import script
from tokenlab.show.explorers import in_tab
from tokenlab.show.explorers.explore_bpe import explore_bpe_training

TOKENIZER_LESSONS = [each for each in stored() if re.match(r"0\d|1[012]|23", each.name)]


def programs_of(each: Lesson) -> list[tuple[str, str]]:
    """The programs on a lesson's page, each with the stored output beside it."""
    notebook = each.notebook
    number = with_programs(each.name, notebook)
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    found = [data["text/html"].partition(PROGRAM) for data in outputs if PROGRAM in data.get("text/html", "")]
    assert len(found) == number
    return [(json.loads(behind.removesuffix("</script></div>")), html) for html, _, behind in found]


@pytest.mark.slow
@pytest.mark.cases(4)
@pytest.mark.parametrize("each", TOKENIZER_LESSONS, ids=lambda each: each.name)
def test_each_program_makes_the_stored_explorer(each: Lesson) -> None:
    found = programs_of(each)
    stored_there = sum("tokenlab-stored" in data for cell in each.notebook.cells for data in _html(cell))
    assert len(found) == stored_there > 0
    for source, html in found:
        assert in_tab.run(source).data in html


def _html(cell: object) -> list[str]:
    outputs = getattr(cell, "outputs", [])
    return [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]


def test_explorers_that_need_pytorch_have_no_program() -> None:
    live = {each.name for each in TOKENIZER_LESSONS}
    others = [each for each in stored() if each.name not in live]
    assert len(others) >= 10
    assert {each.name: programs_of(each) for each in others} == {each.name: [] for each in others}


def test_a_program_has_the_statements_that_its_cell_needs_and_no_others() -> None:
    above = [
        "import math\nfrom io import BytesIO\nfile, size = BytesIO(), 3",
        "%time x = 2",
        "unused = [size for size in range(3)]\ntrainer.train(out=file, size=size)\nprint(unused)",
        "tokenizer = make(file)\ntokenizer.normalizer = None\ntokenizer.options['a'] = 1",
        "def helper(tokenizer):\n    return tokenizer\nother = helper(tokenizer)",
    ]
    made = program(["trainer = 0", *above], "explore_it(tokenizer)")
    assert made == ast.unparse(
        ast.parse(
            "trainer = 0\nfrom io import BytesIO\nfile, size = (BytesIO(), 3)\ntrainer.train(out=file, size=size)\n"
            "tokenizer = make(file)\ntokenizer.normalizer = None\ntokenizer.options['a'] = 1\nexplore_it(tokenizer)"
        )
    )


def test_a_name_that_is_bound_anew_needs_nothing_above() -> None:
    assert program(["n = slow()", "n = 2"], "explore_it(n)") == "n = 2\nexplore_it(n)"
    assert program(["n = 1", "n += 1"], "explore_it(n)") == "n = 1\nn += 1\nexplore_it(n)"


@pytest.mark.parametrize(
    "cell", ["explore = 1", "print(explore_it(1))", "x = explore_it(1)", "%explore_it", "", "a.explore_b()"]
)
def test_other_cells_make_no_explorer(cell: str) -> None:
    assert not makes_explorer(cell)


def test_no_text_ends_the_element_of_a_program() -> None:
    source = "explore_bpe_training('</script><img src=x onerror=alert(1)>', 60)"
    cell = code(source, text_html="<fieldset class=tokenlab-stored></fieldset><div class=tokenlab></div>")
    notebook = lesson(cell, name="01_made_up").notebook
    assert with_programs("01_made_up", notebook) == 1
    html = notebook.cells[0].outputs[0].data["text/html"]
    assert html.count("</script>") == 1 and "<img" not in html
    assert json.loads(html.partition(PROGRAM)[2].removesuffix("</script></div>")) == source


def test_a_page_says_what_can_be_typed_only_if_it_is_live(tmp_path: Path) -> None:
    cell = code(
        "explore_bpe_training('a b', 9)", text_html=explore_bpe_training("a b", 9)._repr_mimebundle_()["text/html"]
    )
    for live in (True, False):
        each = lesson("# Title\n\nType a word.", cell, name="01_made_up")
        page = Source(tmp_path, [each], tmp_path, live=live).lesson(each)
        assert ("your browser then loads Python once" in page.cells[0].source) == live
        assert ("In JupyterLab, type a word." in page.cells[0].source) != live
        assert (PROGRAM in page.cells[1].outputs[0].data["text/html"]) == live


# --- the answers of Python ------------------------------------------------------------------------

TRAINING = "from tokenlab.show.explorers.explore_bpe import explore_bpe_training\nexplore_bpe_training('hug pug', 9)"


@pytest.fixture(autouse=True)
def _no_explorers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_tab, "_explorers", {})


def answered(values: object, source: str = TRAINING) -> dict[str, object]:
    answer: dict[str, object] = json.loads(in_tab.answer("1", source, json.dumps(values)))
    return answer


def test_an_explorer_is_made_once_and_keeps_its_values() -> None:
    assert answered({})["data"] == explore_bpe_training("hug pug", 9).data
    assert answered({"text": "ab ba"}, "no program")["data"] == explore_bpe_training("ab ba", 9).data
    assert answered({"vocab_size": 3})["data"] == explore_bpe_training("ab ba", 3).data


def test_an_error_of_the_learner_is_a_message_and_the_last_picture_stays() -> None:
    before = answered({})["data"]
    after = answered({"text": "  "})
    assert after["message"] == "text has no word yet; type a few words" and after["data"] == before


@pytest.mark.parametrize(
    "values",
    [{"text": 5}, {"vocab_size": "9"}, {"vocab_size": 10**9}, {"nothing": 1}, {"tie_break": 99}, {"__class__": "x"}],
)
def test_values_of_a_damaged_link_change_nothing_and_are_named(values: dict[str, object]) -> None:
    before = answered({})
    after = answered(values)
    assert after["controls"] == before["controls"] and after["data"] == before["data"]
    assert str(next(iter(values))) in str(after["message"])


def test_values_whose_ranges_depend_on_the_text_arrive_together() -> None:
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 400)))
    after = answered({"text": text, "vocab_size": 450})
    assert after["message"] == "" and after["data"] == explore_bpe_training(text, 450).data


def test_a_package_that_is_missing_is_named() -> None:
    assert answered({}, "import not_here.at_all\n1") == {"missing": "not_here"}


def test_a_program_ends_with_an_expression() -> None:
    with pytest.raises(ValueError, match="its last line should be an expression, not 'x = 1'"):
        in_tab.run("x = 1")


# --- Python on the site ---------------------------------------------------------------------------


@pytest.fixture
def lab() -> ModuleType:
    return script("lab.py")


def test_lab_brings_the_version_that_the_site_expects(lab: ModuleType) -> None:
    assert runtime.VERSION == lab.PYODIDE


@pytest.fixture
def pyodide() -> Path:
    folder = runtime.pyodide_folder()
    return folder if folder else skips.without_pyodide()


@pytest.mark.parametrize("name", runtime.HASHES)
def test_a_folder_with_another_or_half_a_pyodide_is_refused(
    name: str, pyodide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in runtime.HASHES:
        (tmp_path / each).symlink_to(pyodide / each)
    monkeypatch.setenv("PYODIDE", str(tmp_path))
    assert runtime.pyodide_folder() == tmp_path
    (tmp_path / name).unlink()
    with pytest.raises(runtime.Unusable, match=f"{re.escape(name)} is missing"):
        runtime.pyodide_folder()
    (tmp_path / name).write_bytes(b"another")
    with pytest.raises(runtime.Unusable, match=f"{re.escape(name)} is not that of Pyodide {runtime.VERSION}"):
        runtime.pyodide_folder()


@pytest.mark.slow
def test_the_site_gets_compiled_archives_in_a_folder_that_is_named_after_them(pyodide: Path, tmp_path: Path) -> None:
    if not shutil.which("node"):
        skips.without_pyodide()
    address = runtime.write_runtime(tmp_path, pyodide)
    folder = (tmp_path / address).parent
    kit, data = (set(zipfile.ZipFile(folder / name).namelist()) for name in (runtime.KIT, runtime.DATA))
    assert {"tokenlab/data.pyc", "tokenlab/show/player.js", "google/protobuf/message.pyc"} <= kit
    assert {"english.txt", "small.tiktoken", "t5-tiny/spiece.model"} <= data
    assert not [name for name in kit | data if name.endswith((".py", ".safetensors")) and name.startswith("tokenlab")]
    assert not [name for name in kit if "__pycache__" in name]
    (tmp_path / "again").mkdir()
    assert runtime.write_runtime(tmp_path / "again", pyodide) == address
    assert (tmp_path / "offline.js").exists()
