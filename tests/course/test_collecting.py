"""Collecting: which time counts, which version counts, and which files are listed where."""

from __future__ import annotations

import tempfile
import time
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.collect import Collected, collect, main
from course.course_folder import Course
from course.received_files import received_files
from course.roster import Roster
from course.submission_times import ReceivedTimes
from tests.course.handed_in import NAME, NOVEMBER, notebook, packed, put, stored, zipped
from tests.examples import examples
from tokenlab.check.student_id import normalized_id

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path / "course")


def stamp(course: Course, student: str = "anna") -> str:
    return (course.root / "submitted" / student / NAME / "timestamp.txt").read_text(encoding="utf-8")


def counts(course: Course, student: str = "anna") -> bytes:
    return (course.root / "submitted" / student / NAME / f"{NAME}.ipynb").read_bytes()


def earlier(course: Course, student: str = "anna") -> dict[str, bytes]:
    files = stored(course.root / "submitted_earlier" / student / NAME)
    return {name.partition("/")[0]: content for name, content in files.items() if name.endswith(".ipynb")}


@pytest.mark.parametrize(
    ("claimed", "reason"),
    [
        ("9999-12-31T23:59:59+00:00", "in the future"),
        ("9999-12-31T23:59:59-14:00", "no time in UTC"),
        ("2020-01-01T00:00:00+00:00", "before 2026"),
        ((NOVEMBER + DAY + HOUR).isoformat(), "later than the time of the file"),
    ],
)
def test_an_impossible_time_is_listed_and_the_time_of_the_file_counts(
    inbox: Path, course: Course, claimed: str, reason: str
) -> None:
    put(inbox, "anna.zip", packed(time=claimed))
    collected = collect(inbox, course)
    assert stamp(course) == "2026-11-20 17:00:00 UTC"
    assert len(collected.warnings) == 1 and reason in collected.warnings[0] and "anna.zip" in collected.warnings[0]
    assert "2026-11-20 17:00:00 UTC (time of the file; the time in it is" in collected.taken[0]


def test_a_possible_time_counts_and_both_times_are_listed(inbox: Path, course: Course) -> None:
    put(inbox, "anna.zip", packed(time="2026-11-18T19:00:00+02:00"))
    (line,) = collect(inbox, course).taken
    assert stamp(course) == "2026-11-18 17:00:00 UTC"
    assert "2026-11-18 17:00:00 UTC (time in the file; the time of the file is 2026-11-20 17:00:00 UTC)" in line


def test_a_file_without_any_possible_time_counts_as_the_oldest(inbox: Path, course: Course) -> None:
    put(inbox, "a.zip", packed(time="2020-01-01T00:00:00+00:00"), datetime(1990, 1, 1, tzinfo=UTC))
    put(inbox, "b.ipynb", notebook("anna", "pass"), NOW + 9 * DAY)
    put(inbox, "c.ipynb", notebook("anna", "good = 1"))
    collected = collect(inbox, course)
    assert counts(course) == notebook("anna", "good = 1") and len(earlier(course)) == 2
    assert sum("name a table of times with --received" in line for line in collected.warnings) == 2


def test_the_times_of_the_server_count(inbox: Path, course: Course, tmp_path: Path) -> None:
    for place, name in enumerate(("x/first.zip", "y/second.zip")):
        put(inbox, name, packed("anna", place, time=NOVEMBER + place * HOUR))
    collect(inbox, course)
    assert counts(course) == notebook("anna", 1)
    table = put(
        tmp_path, "times.csv", b"\xef\xbb\xbffile;time\r\nx/first.zip;2026-11-20T16:00Z\nsecond.zip;2026-11-20T15:00Z\n"
    )
    assert main([str(inbox), str(course.root), "--received", str(table)]) == 0
    assert counts(course) == notebook("anna", 0) and stamp(course) == "2026-11-20 16:00:00 UTC"
    before = stored(course.root)
    for received in (ReceivedTimes(table), None):
        collected = collect(inbox, course, received)
        assert not collected.changed and stored(course.root) == before, "later runs without the table keep its times"
    assert "; what counts is 2026-11-20 16:00:00 UTC (time of the server)" in collected.unchanged[0]


def test_a_file_without_a_time_of_the_server_and_a_time_without_file_are_listed(
    inbox: Path, course: Course, tmp_path: Path
) -> None:
    put(inbox, "a/same.zip", packed("anna"))
    put(inbox, "b/same.zip", packed("ben"))
    table = put(tmp_path, "times.csv", b"file,time\nsame.zip,2026-11-21T10:00Z\n")
    warnings = collect(inbox, course, ReceivedTimes(table)).warnings
    assert [line.split(" is ")[0] for line in warnings] == ["a/same.zip", "b/same.zip", "same.zip"], (
        "two have this name"
    )


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("name,time\na,b\n", "has no column 'file'"),
        ("file,time\na,20/11/26\n", "line 2 of times.csv has the time"),
        ("file,time\na\n", "line 2 of times.csv has the time"),
        ("file,time\na,2026-11-20\na,2026-11-21\n", "names a again"),
        ("", "has no column"),
    ],
)
def test_a_wrong_table_is_refused_before_anything_is_collected(
    inbox: Path, course: Course, tmp_path: Path, table: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put(inbox, "a.zip", packed())
    path = put(tmp_path, "times.csv", table.encode())
    assert main([str(inbox), str(course.root), "--received", str(path)]) == 2
    assert reason in capsys.readouterr().out and not stored(course.root)


@pytest.mark.parametrize("same_run", [True, False])
def test_the_newest_counts_and_the_other_is_kept_and_listed(inbox: Path, course: Course, same_run: bool) -> None:
    put(inbox, "new.zip", packed("Zoë", "new = 1", time=NOVEMBER + HOUR))
    if not same_run:
        collect(inbox, course)
    put(inbox, "old.zip", packed("ZOE\u0308", "old = 1"))
    for run in range(3):
        before = stored(course.root)
        collected = collect(inbox, course)
        assert len(collected.older) == 1 and collected.older[0].startswith(
            "old.zip: ZOË, assignment1, 2026-11-20 17:00:00"
        )
        assert "; replaced by new.zip, 2026-11-20 18:00:00 UTC" in collected.older[0]
        assert (len(collected.taken), len(collected.unchanged)) == ((1, 0) if same_run and not run else (0, 1))
        assert ("Nothing changed" in str(collected)) == (run > 0) == (stored(course.root) == before)
    (folder,) = (course.root / "submitted").iterdir()
    assert b"new = 1" in counts(course, folder.name)
    assert [b"old = 1" in content for content in earlier(course, folder.name).values()] == [True]


def test_files_that_come_one_by_one_give_the_same_course_as_all_together(tmp_path: Path) -> None:
    files = {
        f"{place}.zip": packed("anna", content, time=NOVEMBER + place * HOUR) for place, content in enumerate("abacc")
    }
    courses = []
    for order in (sorted(files), sorted(files, reverse=True), ["all"]):
        course = Course(tmp_path / f"course{len(courses)}")
        for name in order:
            part = tmp_path / f"{course.root.name} {name}"
            for chosen in files if name == "all" else [name]:
                put(part, chosen, files[chosen])
            collect(part, course)
        courses.append((counts(course), stamp(course)))
        assert set(earlier(course).values()) >= {notebook("anna", "a"), notebook("anna", "b")}
    assert courses == [(notebook("anna", "c"), "2026-11-20 20:00:00 UTC")] * 3


def test_a_version_that_is_handed_in_again_counts_again(inbox: Path, course: Course) -> None:
    for place, content in enumerate("aba"):
        put(inbox, f"{place}.zip", packed("anna", content, time=NOVEMBER + place * HOUR))
    collect(inbox, course)
    assert counts(course) == notebook("anna", "a") and stamp(course) == "2026-11-20 19:00:00 UTC"
    assert len(earlier(course)) == 2


def test_the_same_notebook_that_is_downloaded_again_keeps_its_time(inbox: Path, course: Course) -> None:
    put(inbox, "a.ipynb", notebook())
    collect(inbox, course)
    put(inbox, "a.ipynb", notebook(), NOVEMBER + HOUR)
    assert not collect(inbox, course).changed and stamp(course) == "2026-11-20 17:00:00 UTC"


def test_different_files_of_the_same_second_are_listed(inbox: Path, course: Course) -> None:
    put(inbox, "a.ipynb", notebook("anna", "a"))
    put(inbox, "b.ipynb", notebook("anna", "b"))
    for _ in range(2):
        collected = collect(inbox, course)
        assert counts(course) == notebook("anna", "b") and len(earlier(course)) == 1
        assert collected.warnings == ["a.ipynb and b.ipynb of anna differ and have the same time; b.ipynb counts"]


@pytest.mark.parametrize(
    "form", ["{}_assignsubmission_file_/a.zip", "{}_assignsubmission_file_a.zip", "{}_assignsubmission_file/a.zip"]
)
def test_work_that_moodle_has_from_another_uploader_replaces_nothing_unless_somebody_agrees(
    inbox: Path, course: Course, form: str
) -> None:
    first = put(inbox, form.format("Lee Ann_12"), packed("anna", 1))
    assert not collect(inbox, course).refused
    first.unlink()
    put(inbox, form.format("Ray Bo_34"), packed("Anna", 2, time=NOVEMBER + HOUR))
    (refused,) = collect(inbox, course).refused
    assert "different people have uploaded work with the id Anna: Lee Ann_12; Ray Bo_34" in refused
    assert refused.endswith('add --accept "Anna=Ray Bo_34"') and counts(course) == notebook("anna", 1)
    put(inbox, form.format("Lee Ann_12"), packed("anna", 3, time=NOVEMBER + HOUR))
    assert len(collect(inbox, course).refused) == 1 and counts(course) == notebook("anna", 3)
    put(inbox, form.format("Ray Bo_34"), packed("anna", 4, time=NOVEMBER + 2 * HOUR))
    collected = collect(inbox, course, accepted=["ANNA=Ray Bo"])
    assert not collected.refused and counts(course) == notebook("anna", 4)
    put(inbox, form.format("Eve Yu_56"), packed("anna", 5, time=NOVEMBER + 3 * HOUR))
    assert len(collect(inbox, course, accepted=["anna=Ray Bo"]).refused) == 1
    put(inbox, form.format("Ray Bo_78"), packed("anna", 6, time=NOVEMBER + 4 * HOUR))
    assert len(collect(inbox, course).refused) == 3  # trusted once, not for ever


def test_of_two_uploaders_in_one_download_nobody_is_believed(inbox: Path, course: Course) -> None:
    for name in ("Lee Ann_12", "Ray Bo_34"):
        put(inbox, f"{name}_assignsubmission_file_a.zip", packed("anna", name))
    put(inbox, "Bo Xi_56_assignsubmission_file_a.zip", packed("ben"))
    collected = collect(inbox, course)
    assert len(collected.refused) == 2 and len(collected.taken) == 1
    assert [path.name for path in (course.root / "submitted").iterdir()] == ["ben"]


ROSTER = "student,uploader,email\r\nanna,Lee Ann_12,anna@uni.example\r\nBen,,\r\nZo\u00eb Kim,,zoe@uni.example\r\n"


def test_with_a_table_of_students_only_they_are_taken_and_only_from_their_uploader(
    inbox: Path, course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    put(course.root, "students.csv", ROSTER.encode("utf-8-sig"))
    put(inbox, "Lee Ann_12_assignsubmission_file_a.zip", packed("Anna"))
    put(inbox, "Ray Bo_34_assignsubmission_file_a.zip", packed("anna", 2, time=NOVEMBER + HOUR))
    put(
        inbox,
        "Eve_9_assignsubmission_file/Lee Ann_12_assignsubmission_file_/a.zip",
        packed("anna", 9, time=NOVEMBER + HOUR),
    )
    put(inbox, "top.zip", packed("anna", 8, time=NOVEMBER + HOUR))
    put(inbox, "week 1/ben.zip", packed("ben"))
    put(inbox, "week 1/zoe.zip", packed("zoe\u0308 kim"))
    put(inbox, "look.zip", packed("\u0430nna", 3, time=NOVEMBER + HOUR))  # a Cyrillic letter
    put(inbox, "other.zip", packed("somebody"))
    assert main([str(inbox), "--course", str(course.root)]) == 0
    said = capsys.readouterr().out
    assert (
        "Ray Bo_34_assignsubmission_file_a.zip: anna uploads as Lee Ann_12 (students.csv), and this file comes" in said
    )
    assert "look.zip: students.csv has no student \u0430nna; is it anna?" in said
    assert "other.zip: students.csv has no student somebody\n" in said and "Refused: 5" in said
    assert "and this file comes from Eve_9" in said and "top.zip: anna uploads as Lee Ann_12" in said
    assert sorted(path.name for path in (course.root / "submitted").iterdir()) == ["Anna", "ben", "zo\u00eb kim"]
    assert main([str(inbox), "--course", str(course.root), "--accept", "anna=Ray Bo"]) == 0
    assert counts(course, "Anna") == notebook("anna", 2)
    put(inbox, "Lee Ann_77_assignsubmission_file/b.zip", packed("anna", 10, time=NOVEMBER + DAY))  # another assignment
    assert main([str(inbox), "--course", str(course.root)]) == 0 and counts(course, "Anna") == notebook("anna", 10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("student;email\nanna;x\n", "has no column 'uploader'; its first line must be: student,uploader,email"),
        ("student,uploader,email\n,x,y\n", "line 2 of "),
        ("student,uploader,email\nanna,,\nANNA,,\n", "names anna again; each id has one line"),
        ("student,uploader,email\nanna,x,\nben,X_12,\n", "gives ben the uploader of anna"),
        ("student,uploader,email\nJos\udce9,,\n", "is not UTF-8"),
    ],
)
def test_a_table_of_students_with_a_mistake_collects_nothing(
    inbox: Path, course: Course, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put(course.root, "students.csv", text.encode(errors="surrogateescape"))
    put(inbox, "a.zip", packed("anna"))
    assert main([str(inbox), "--course", str(course.root)]) == 2
    assert said in capsys.readouterr().out and not (course.root / "submitted").exists()


def test_who_handed_in_nothing_is_known(course: Course) -> None:
    assert not Roster(course.root) and Roster(course.root).absent(["x"]) == []
    put(course.root, "students.csv", ROSTER.encode())
    roster = Roster(course.root)
    assert [one.student for one in roster.absent(["ANNA"])] == ["Ben", "Zo\u00eb Kim"]
    assert [one.email for one in roster.absent(["ben"])] == ["anna@uni.example", "zoe@uni.example"]


def test_ids_and_uploaders_that_a_terminal_would_obey_are_shown_as_escapes(inbox: Path, course: Course) -> None:
    for name in ("Lee_12", "Ray\x1b[2J_34"):
        put(inbox, f"{name}_assignsubmission_file_a.zip", packed("anna", name))
    refused = collect(inbox, course).refused
    assert len(refused) == 2 and not any("\x1b" in line for line in refused) and "Ray\\x1b[2J_34" in refused[1]


def test_a_failure_of_the_course_lists_each_file_once(
    inbox: Path, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError("the disk is full")

    put(inbox, "Lee_12_assignsubmission_file_a.zip", packed("anna", 1))
    assert not collect(inbox, course).refused
    put(inbox, "Ray_34_assignsubmission_file_a.zip", packed("anna", 2))
    monkeypatch.setattr("course.collect._take", fails)
    collected = collect(inbox, course)
    assert collected.seen == len(collected.refused) == 2


@pytest.mark.slow
def test_an_id_of_combining_marks_is_refused_at_once(inbox: Path, course: Course) -> None:
    put(inbox, "a.ipynb", notebook("a" + "\u0301\u0316" * 1_000_000))
    assert "is too long; take a shorter one" in collect(inbox, course).refused[0]
    with pytest.raises(AssertionError, match="is too long"):
        normalized_id("x" * 1_001)
    assert normalized_id("x" * 1_000)


@pytest.mark.parametrize("same_run", [True, False])
def test_one_id_in_two_folders_is_listed(inbox: Path, course: Course, same_run: bool) -> None:
    first = put(inbox, "Lee Ann_12/a.zip", packed("anna", 1))
    if not same_run:
        assert not collect(inbox, course).warnings
        first.unlink()
    put(inbox, "Ray Bo_34/a.zip", packed("Anna", 2, time=NOVEMBER + HOUR))
    warnings = [line for line in collect(inbox, course).warnings if "two people" in line]
    assert (
        len(warnings) == 1
        and "two people may use the id anna: Lee Ann_12 (" in warnings[0]
        and "Ray Bo_34" in warnings[0]
    )


def test_ids_that_look_alike_are_listed(inbox: Path, course: Course) -> None:
    for place, student in enumerate(("anna", "Anna", "\uff41nna", "ben")):
        put(inbox, f"{place}.zip", packed(student, place, time=NOVEMBER + place * HOUR))
    warnings = collect(inbox, course).warnings
    assert warnings == ["nearly the same id: Anna, anna, \uff41nna; taken as 2 students"]
    assert sorted(path.name for path in (course.root / "submitted").iterdir()) == ["anna", "ben", "\uff41nna"]


def test_a_download_of_all_submissions_is_collected(
    inbox: Path, course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    members = {
        "Lee Ann_12_assignsubmission_file_/hw.zip": packed("anna"),
        "Ray Bo_34_assignsubmission_file_/hw.ipynb": notebook("bo"),
        "Kim Cy_56_assignsubmission_file_/hw.zip": zipped({"hw.zip": packed("cy")}),
        "Ray Bo_34_assignsubmission_file_/photo.png": b"",
        "/etc/passwd": b"",
        "../up.zip": packed("up"),
        "__MACOSX/._hw.zip": b"",
    }
    source = put(inbox, "all.zip", zipped(members))
    with zipfile.ZipFile(source, "a") as archive:
        late = zipfile.ZipInfo("Lee Ann_12_assignsubmission_file_/late.ipynb", (2026, 11, 21, 8, 0, 0))
        archive.writestr(late, notebook("anna", "late = 1"))
    assert main([str(source), "--course", str(course.root)]) == 0, "the refused files are listed"
    assert counts(course) == notebook("anna", "late = 1") and counts(course, "bo") == notebook("bo")
    said = capsys.readouterr().out
    assert "7 files = 2 taken + 0 unchanged + 1 older + 4 refused. The others are in the course." in said
    assert main([str(put(inbox, "one.zip", packed("dee"))), str(course.root)]) == 0, "a single submission"
    assert counts(course, "dee") == notebook("dee")
    assert main([str(put(inbox / "wrong", "notes.txt", b"").parent), str(course.root)]) == 1, "nothing can be used"


def test_a_local_time_that_occurs_twice_is_the_earlier_one_whatever_was_read_before(
    inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [(2026, 7, 1, 12, 0, 0), (2026, 10, 25, 2, 30, 0), (2026, 12, 1, 12, 0, 0), (2026, 10, 25, 2, 30, 0)]
    with zipfile.ZipFile(inbox / "all.zip", "w") as archive:
        for number, date_time in enumerate(times):
            archive.writestr(zipfile.ZipInfo(f"{number}.zip", date_time), b"")
    set_zone = getattr(time, "tzset", lambda: None)  # Windows has none, and reads its own zone
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "Europe/Berlin")
        set_zone()
        with received_files(inbox / "all.zip") as files:
            found = [file.modified for file in files]
    set_zone()
    assert found[1] == found[3]


def test_a_source_that_cannot_be_read_is_named(inbox: Path, course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    for source in (inbox / "nothing", put(inbox, "text.txt", b"text"), put(inbox, "torn.zip", packed()[:-30])):
        assert main([str(source), str(course.root)]) == 2
        assert f"Nothing was collected from {source}: " in capsys.readouterr().out


def test_a_course_folder_that_cannot_be_written_refuses_one_student_only(inbox: Path, course: Course) -> None:
    put(inbox, "a.zip", packed("anna"))
    put(inbox, "b.zip", packed("ben"))
    (course.root / "submitted").mkdir(parents=True)
    (course.root / "submitted" / "anna").write_text("a file", encoding="utf-8")
    collected = collect(inbox, course)
    assert len(collected.taken) == 1 and [line.partition(":")[0] for line in collected.refused] == ["a.zip"]
    assert counts(course, "ben") == notebook("ben")


STUDENTS = st.sampled_from(["anna", "Anna", "zoe\u0308", "zoë", "\uff41nna", "bad\u202e", "a/b"])
CONTENTS = st.builds(
    lambda student, cell, hours, claimed, bare: (
        notebook(student, cell) if bare else packed(student, cell, time=NOVEMBER + (claimed - 3) * 12 * HOUR),
        NOVEMBER + hours * HOUR,
        ".ipynb" if bare else ".zip",
    ),
    *(STUDENTS, st.integers(0, 2), st.integers(0, 2), st.integers(0, 6), st.booleans()),
)
OTHERS = st.tuples(st.binary(max_size=20), st.just(NOVEMBER), st.sampled_from([".zip", ".ipynb", ".pdf", ""]))
PLACES = st.sampled_from(["", "Lee_1_assignsubmission_file_/", "week 1/"])


def numbers(collected: Collected) -> tuple[int, ...]:
    return tuple(map(len, (collected.taken, collected.unchanged, collected.older, collected.refused)))


@given(st.lists(st.tuples(PLACES, CONTENTS | OTHERS), max_size=8), st.integers(0, 8))
@examples(60)
def test_the_numbers_add_up_and_nothing_changes_in_the_second_run(
    found: list[tuple[str, tuple[bytes, datetime, str]]], split: int
) -> None:
    with tempfile.TemporaryDirectory() as place:
        inbox, course = Path(place, "inbox"), Course(Path(place, "course"))
        inbox.mkdir()
        contents = set()
        for number, (folder, (content, modified, suffix)) in enumerate(found):
            if number == split:
                collect(inbox, course)
            put(inbox, f"{folder}{number}{suffix}", content, modified)
            contents.add(content)
        first = collect(inbox, course)
        before = stored(course.root)
        second = collect(inbox, course)
        assert sum(numbers(first)) == sum(numbers(second)) == first.seen == len(found)
        assert not second.changed and not second.taken and stored(course.root) == before
        assert second.refused == first.refused and second.warnings == first.warnings
        assert len(second.older) == len(first.older)
        kept = {content for name, content in before.items() if name.endswith(".ipynb")}
        handed_in = {content for content in contents if content.startswith(b'{"cells"')}
        good = [line.partition(":")[0] for line in (*first.taken, *first.unchanged, *first.older)]
        names = {f"{folder}{number}{suffix}": content for number, (folder, (content, _, suffix)) in enumerate(found)}
        assert kept >= {names[name] for name in good} & handed_in, "no accepted notebook is lost"
