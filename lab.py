"""Set up and start tokenlab: `python3 lab.py` opens the lessons (on Windows: `py lab.py`).

Commands; further arguments are passed to the program that does the work:
  lab         copy the lessons into my/ and open them in JupyterLab
  lab-small   the same without PyTorch: lessons 00 to 12
  test        check the kit in 5 minutes; with arguments (test -k steps) only pytest runs
  test-all    check it with all tests, many more inputs and another processor: half an hour
  notebooks   build the lessons from notebooks/source
  site        write the lessons as web pages into build/site
  lite        write a JupyterLite site into build/lite: the lessons run in the browser, without an installation
  slides      write slides of the lessons into build/slides
  questions   write the lessons' questions for Moodle into build/questions.xml
  item-analysis
              write a page on the difficulty of quiz questions and tasks, and on the misconceptions of a course
  assignments build what students get, and a course to grade it in, into build/course
  student-kit write the archive that students get, without solutions, into build/
  collect     take the files of a folder, written by hand_in(), into the course
  grade       grade all submissions of an assignment, on all cores
  regrade     grade a class again after an assignment was changed
  similarity  list pairs of submissions of an assignment that resemble each other
  grade-demo  grade fictitious classes, and compare the points with the expected ones
  bench       compare speeds
  fuzz        compare all components with the libraries on random inputs: make fuzz MINUTES=10
  parity      compare with transformers: T5 and tokenizers with 4.26.1 in .parity, the decoder with 5 in .parity-current
  t5-tiny     train the tiny T5 of data/t5-tiny again: a quarter of an hour
  decoder-tiny
              train the tiny decoder-only model of data/decoder-tiny again: 40 minutes
  tokenizer-effects
              train small models with four tokenizers, and measure them again: half an hour
  screenshot  take pictures of the lessons in a browser

Standard library only, in the grammar of Python 3.6: an old Python has to get as far as the sentence
that asks for a newer one. No shebang: the Windows launcher would follow it to another Python.
"""

import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "tokenlab-installed.json"
PARITY = ROOT / ".parity"
PARITY_PINS = ROOT / "constraints-parity.txt"
CURRENT = ROOT / ".parity-current"
CURRENT_VERSION = "5.24.0"  # of transformers, for models that 4.26.1 does not have
PYODIDE = "314.0.6"  # of the npm package; the one that JupyterLite's kernel needs
PYODIDE_SHA512 = (
    "04a0d327222a1710b8044c4ba9e452ddfe71bd76488ceb7c0b7cc62cdfc273bb"
    "45c52c2f29585591c8504360062ceb51e18ad53881716d5f29a320ce3a65b0c5"
)
OLDEST_PYTHON = (3, 11)
FIRST_LESSON = "00_start_here.ipynb"
KERNELS = 'c.InteractiveShellApp.extensions.append("tokenlab.cells_above")\n'
OVERRIDES = {  # of JupyterLab's settings, and of those of the JupyterLite site
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},
}
WORKSPACE = "default-37a8.jupyterlab-workspace"  # JupyterLab's name for what it shows at first
LAYOUT = {"left": {"current": "filebrowser", "collapsed": False}, "relativeSizes": [0.25, 0.75, 0]}
LAST_SMALL_LESSON = 12  # those after it need PyTorch


def check_python():
    """Exit with a message if this Python is too old."""
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            "tokenlab needs Python 3.11 or newer and this is {}.{}; install one and name it: "
            "make lab PYTHON=python3.11 (on Windows: py -3.11 lab.py).".format(*sys.version_info)
        )


def install(extras):
    """Make .venv hold the kit with these extras; a stamp that agrees means that it does already."""
    stamp = read_json(STAMP)
    if not venv_works() or stamp.get("root", str(ROOT)) != str(ROOT):
        stamp = {}
        make_venv()
    wanted = {
        "root": str(ROOT),
        "python": list(sys.version_info[:2]),
        "sources": [digest(ROOT / name) for name in ("pyproject.toml", "constraints.txt")],
        "extras": sorted({*extras, *stamp.get("extras", [])}),
    }
    if stamp != wanted:
        # The stamp goes first and comes last: an interrupted install is taken up again.
        STAMP.unlink(missing_ok=True)
        pip_install(",".join(wanted["extras"]))
        write_whole(STAMP, json.dumps(wanted).encode())


def venv_works():
    """Whether .venv has pip and the Python that runs this; half of an interrupted one has not."""
    probe = "import pip, sys; sys.exit(sys.version_info[:2] != {})".format(sys.version_info[:2])
    try:
        return subprocess.call([str(PYTHON), "-c", probe], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def make_venv():
    """Create .venv, and replace an existing one."""
    if not (find_spec("venv") and find_spec("ensurepip")):
        sys.exit(
            "This Python cannot make virtual environments; on Debian and Ubuntu "
            "`sudo apt install python{}.{}-venv` adds what is missing.".format(*sys.version_info)
        )
    if VENV.is_symlink():
        sys.exit("The folder .venv is a link to another environment, which would be emptied; delete the link.")
    say("Making the virtual environment .venv ...")
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)]):
        sys.exit(
            "The virtual environment could not be made, see above; close what still runs from the "
            "folder .venv, delete that folder and start again."
        )


def pip_install(extras):
    """Install the kit, editable, with the versions that constraints.txt pins."""
    say("Installing; the first time takes some minutes ...")
    options = ["--disable-pip-version-check", "--constraint", "constraints.txt"]
    if run("pip", "install", *options, "--editable", ".[" + extras + "]"):
        sys.exit(
            "pip could not install everything, see its message above; check your network and the "
            "free space on your disk, then run the same command again."
        )


def get_pyodide():
    """Make .venv hold Pyodide, with which the pages of the site run Python, unless a variable names its folder."""
    folder = VENV / "share" / ("pyodide-" + PYODIDE)
    if folder.exists() or os.environ.get("PYODIDE"):
        return
    npm = shutil.which("npm")
    if npm is None:
        return say("npm is missing, so nothing on the pages of the site is live; on Debian: sudo apt install npm")
    with tempfile.TemporaryDirectory(dir=str(VENV)) as made:
        subprocess.call([npm, "pack", "--silent", "pyodide@" + PYODIDE, "--pack-destination", made], cwd=made)
        archive = Path(made, "pyodide-{}.tgz".format(PYODIDE))
        content = archive.read_bytes() if archive.exists() else b""
        if hashlib.sha512(content).hexdigest() != PYODIDE_SHA512:
            return say("npm did not bring Pyodide {}, see above, so nothing on the pages is live.".format(PYODIDE))
        whole = Path(made, "whole")
        whole.mkdir()
        with tarfile.open(str(archive)) as packed:
            for member in packed.getmembers():
                if member.isfile() and member.name.count("/") == 1:  # all of it lies in the folder package/
                    (whole / member.name.split("/")[1]).write_bytes(packed.extractfile(member).read())
        folder.parent.mkdir(parents=True, exist_ok=True)
        whole.rename(folder)


def make_site(*arguments):
    """Write the lessons as web pages."""
    get_pyodide()
    return run("publish.pages", *arguments)


def make_lite(*arguments):
    """Write the JupyterLite site."""
    get_pyodide()
    return run("publish.lite", *arguments)


def copy_lessons(lessons, my, trust, last=99):
    """Bring the copies in `my` up to date, as far as lesson `last`, and never touch a learner's changes.

    The glossary, to which lessons link, is copied as well. `my/.copies.json` remembers of each copy the fingerprints of
    the content that it was given.
    """
    my.mkdir(exist_ok=True)
    made_from = read_json(my / ".copies.json")
    wanted = sorted(lessons.glob("*.ipynb"))
    if last < 99:  # the capstones, which have no number, come with all lessons
        wanted = [lesson for lesson in wanted if lesson.name[:2] <= "{:02}".format(last)]
    wanted += lessons.parent.glob("docs/glossary.md")
    copies = [copy_lesson(lesson, my, made_from) for lesson in wanted]
    new_copies = [copy for copy in copies if copy]
    if new_copies:
        notebooks = [copy for copy in new_copies if copy.suffix == ".ipynb"]
        if notebooks:
            trust(notebooks)
        # Only now: copies that an interruption left untrusted are made again.
        write_whole(my / ".copies.json", json.dumps(made_from, indent=1).encode())


def copy_lesson(lesson, my, made_from):
    """Copy the lesson if no work is lost; return the copy, or None if there is nothing to do."""
    copy = my / lesson.name
    # The copy of the glossary is beside the lessons: JupyterLab opens nothing outside of my/.
    content = with_language_info(lesson.read_bytes().replace(b"](../docs/glossary.md", b"](glossary.md"))
    version = fingerprints(content)
    if copy.exists() and remembered(copy, made_from)[0] == version[0]:
        return None
    if changed(copy, made_from, version):
        copy = copy.with_suffix(".new" + copy.suffix)
        # A version that was put there once is not put there twice: the learner may have moved it.
        if remembered(copy, made_from)[0] == version[0] or changed(copy, made_from, version):
            return None
        say("{} has changes of yours; its new version is my/{}.".format(lesson.name, copy.name))
    write_whole(copy, content)
    made_from[copy.name] = version
    return copy


def with_language_info(content):
    """Return a notebook with this Python in its metadata; JupyterLab would add it, and ask to save the notebook."""
    described = {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }
    lines = json.dumps(described, indent=1).replace("\n", "\n  ")
    return content.replace(b'"language_info": {\n   "name": "python"\n  }', b'"language_info": ' + lines.encode())


def remembered(copy, made_from):
    """The fingerprints of the lesson that a copy was made from; earlier versions of the kit stored only the first."""
    version = made_from.get(copy.name)
    return version if isinstance(version, list) else [version, None]


def changed(copy, made_from, version):
    """Whether the copy is neither the lesson that it was made from nor the current one, in what a learner writes."""
    return copy.exists() and not {*fingerprints(copy.read_bytes())} & {*remembered(copy, made_from), *version}


def fingerprints(content):
    """The sha256 of a file, and that of its cells: JupyterLab's autosave rewrites the metadata and outputs."""
    fingerprint = hashlib.sha256(content).hexdigest()
    try:
        written = [[cell["cell_type"], "".join(cell["source"])] for cell in json.loads(content.decode())["cells"]]
    except (ValueError, KeyError, TypeError):  # not a notebook
        return [fingerprint, fingerprint]
    return [fingerprint, hashlib.sha256(json.dumps(written).encode()).hexdigest()]


def trust_notebooks(notebooks):
    """Let JupyterLab run the players in these notebooks; one process, since each takes a second."""
    run("nbformat.sign", *map(str, notebooks))


def set_up_jupyterlab(my):
    """Configure the JupyterLab of .venv, and return variables of the environment for learners.

    For all: no news and no check for updates, because the kit works without a network; no dates beside the names of
    files; and kernels that answer for the cells above (`tokenlab/cells_above.py`). For learners: a file browser that is
    wide enough for the names of the lessons, until they change it; and nothing of nbgrader, which `make test` installs.
    Instructors start `jupyter lab` in the folder of their course.
    """
    learners = VENV / "etc/tokenlab"
    write_in(VENV / "share/jupyter/lab/settings/overrides.json", json.dumps(OVERRIDES))
    write_in(VENV / "etc/ipython/ipython_kernel_config.py", KERNELS)
    write_in(learners / "labconfig/page_config.json", json.dumps({"disabledExtensions": {"@jupyter/nbgrader": True}}))
    workspace = my / ".workspaces" / WORKSPACE
    if not workspace.exists():
        write_in(workspace, json.dumps({"data": {"layout-restorer:data": LAYOUT}, "metadata": {"id": "default"}}))
    paths = [str(learners), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    return {"JUPYTER_CONFIG_PATH": os.pathsep.join(paths), "JUPYTERLAB_WORKSPACES_DIR": str(workspace.parent)}


def write_in(path, text):
    """Write a file, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())


def open_lessons(*options, last=99):
    """Start JupyterLab on the learner's copies."""
    my = ROOT / "my"
    # Threads of PyTorch that wait for each other on busy cores take up to five times as long; the models are tiny.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    copy_lessons(ROOT / "notebooks", my, trust_notebooks, last)
    os.environ.update(set_up_jupyterlab(my))
    start = ["--ServerApp.root_dir=" + str(my), "--LabApp.default_url=/lab/tree/" + FIRST_LESSON]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # In a container, the user is often root, and JupyterLab refuses to start as root.
        start.append("--allow-root")
    return wait_for(subprocess.Popen([str(PYTHON), "-m", "jupyterlab", *start, *options]))


def open_small_lessons(*options):
    """Start JupyterLab on the lessons that need no PyTorch."""
    return open_lessons(*options, last=LAST_SMALL_LESSON)


def wait_for(server):
    """Wait until the server ends; it also receives every Ctrl-C, and asks for confirmation."""
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    return server.wait()


def check_the_kit(*arguments):
    """Run most lessons and a few cases of every quick test; with arguments only pytest on them."""
    get_pyodide()
    if arguments:
        return run_tests(*arguments)
    failed = run_checks(RUFF)
    return run_tests(*WORKERS, *QUICK, "-m", "not slow", *everything()) or failed


def check_everything(*arguments):
    """Run the static checks and all tests, with many inputs; then those of PyTorch as on another processor."""
    with ThreadPoolExecutor() as pool:  # pip waits for the network while the checks compute
        reference, current = pool.submit(install_reference), pool.submit(install_current_transformers)
        failed = run_checks(RUFF + MYPY)
    failed += reference.result() + current.result()
    get_pyodide()
    failed += run_tests(*WORKERS, "--hypothesis-profile=long", *(arguments or everything()))
    return check_another_processor() or failed


def check_another_processor():
    """Run the tests and lessons that use PyTorch with its code for old processors and with two threads."""
    os.environ.update(OTHER_PROCESSOR)
    return run_tests(*WORKERS, *QUICK, "-m", "torch and (not slow or processor)", *everything())


RUFF = ["ruff check .", "ruff format --check ."]
MYPY = ["mypy --strict tokenlab tests/typing"]
# loadfile: the cells of one notebook share a kernel and must not be spread over workers.
WORKERS = ["-n", "2", "--dist", "loadfile"]
QUICK = ["--hypothesis-profile=quick"]
# Two workers with two threads each on two cores: threads that wait must not keep a core busy.
OTHER_PROCESSOR = {"ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE"}


def everything():
    """The arguments of pytest for the package, the tests and the lessons."""
    nbval = ["--nbval", "--nbval-current-env"]
    return [*nbval, "tokenlab", "tests", *map(str, sorted((ROOT / "notebooks").glob("*.ipynb")))]


def run_checks(commands):
    """Run static checks, name those that fail, and return their number."""
    failed = [command for command in commands if run(*command.split())]
    for command in failed:
        say("Failed, see above: " + command)
    return len(failed)


def run_tests(*arguments):
    """Run pytest."""
    # Two workers share the cores; threads of PyTorch that wait for each other would take ten times as long.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # The tests start hundreds of Pythons, and without compiled files each of them would compile the kit again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return run("pytest", *arguments)


def compare_with_transformers(*arguments):
    """Make .parity hold transformers 4.26.1, whose protobuf is too old for .venv, and a current one; then ask them."""
    tests = ["tests/parity_t5", "tests/parity_decoder"]
    return install_reference() or install_current_transformers() or run("pytest", *tests, *arguments)


def install_reference():
    """Make .parity hold what its pins say; a stamp that agrees means that it does already."""
    stamp = PARITY / "tokenlab-installed.json"
    wanted = {"pins": digest(PARITY_PINS), "python": list(sys.version_info[:2])}
    if read_json(stamp) == wanted:
        return 0
    say("Making the environment .parity for transformers 4.26.1 ...")
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(PARITY)]):
        sys.exit("The environment .parity could not be made, see above; delete that folder and start again.")
    python = PARITY / PYTHON.relative_to(VENV)
    options = ["--disable-pip-version-check", "--requirement", str(PARITY_PINS)]
    if subprocess.call([str(python), "-m", "pip", "install", *options], cwd=str(ROOT)):
        sys.exit(
            "pip could not install transformers 4.26.1, see its message above; check your network, "
            "then run the same command again."
        )
    write_whole(stamp, json.dumps(wanted).encode())
    return 0


def install_current_transformers():
    """Make .parity-current hold a current transformers without what it needs, which .venv has."""
    if (CURRENT / f"transformers-{CURRENT_VERSION}.dist-info").exists():
        return 0
    shutil.rmtree(CURRENT, ignore_errors=True)
    wanted = [f"transformers=={CURRENT_VERSION}", "--target", str(CURRENT)]
    return run("pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps", *wanted)


def script(path):
    """A command that runs a script of the kit."""
    return lambda *arguments: subprocess.call([str(PYTHON), path, *arguments], cwd=str(ROOT))


def module(name):
    """A command that runs a module of the kit, which may import modules in its folder."""
    return lambda *arguments: run(name, *arguments)


EVERYTHING = ["lab", "torch", "cluster", "parquet", "course", "site", "lite", "dev"]
COMMANDS = {
    "lab": (open_lessons, ["lab", "torch"]),
    "lab-small": (open_small_lessons, ["lab"]),
    "test": (check_the_kit, EVERYTHING),
    "test-all": (check_everything, EVERYTHING),
    "notebooks": (script("publish/build.py"), EVERYTHING),
    "site": (make_site, ["lab", "course", "site"]),
    "lite": (make_lite, ["lab", "lite"]),
    "slides": (module("publish.slides"), ["lab", "course"]),
    "questions": (module("course.questions"), ["lab", "course"]),
    "item-analysis": (module("course.item_analysis"), EVERYTHING),
    "assignments": (module("course.build"), EVERYTHING),
    "student-kit": (module("course.student_kit"), EVERYTHING),
    "collect": (module("course.collect"), EVERYTHING),
    "grade": (module("course.grade"), EVERYTHING),
    "regrade": (module("course.regrade"), EVERYTHING),
    "similarity": (module("course.similarity"), EVERYTHING),
    "grade-demo": (module("course.demo"), EVERYTHING),
    "bench": (script("benchmarks/run.py"), EVERYTHING),
    "fuzz": (module("tests.fuzz"), EVERYTHING),
    "parity": (compare_with_transformers, EVERYTHING),
    "t5-tiny": (script("data/t5-tiny/train.py"), EVERYTHING),
    "decoder-tiny": (script("data/decoder-tiny/train.py"), EVERYTHING),
    "tokenizer-effects": (script("data/make_tokenizer_effects.py"), EVERYTHING),
    "screenshot": (module("tests.browser.screenshot"), EVERYTHING),
}


def run(*module_and_arguments):
    """Run a module of .venv in the kit's folder and return its exit status."""
    return subprocess.call([str(PYTHON), "-m", *module_and_arguments], cwd=str(ROOT))


def say(sentence):
    """Print and flush, so that the sentence appears before the next program's output."""
    print(sentence, flush=True)


def digest(path):
    """The sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_json(path):
    """Return the content of a JSON file, or an empty value if it is missing or damaged."""
    try:
        return json.loads(path.read_bytes().decode())
    except (OSError, ValueError):
        return {}


def write_whole(path, content):
    """Replace the file in one step, so that an interruption leaves the old one."""
    beside = path.with_name(path.name + ".part")
    beside.write_bytes(content)
    os.replace(str(beside), str(path))


def main(arguments):
    """Install what the command needs, then do it."""
    if arguments[:1] in (["-h"], ["--help"]):
        return say(__doc__)
    if not arguments or arguments[0].startswith("-"):
        arguments = ["lab", *arguments]
    if arguments[0] not in COMMANDS:
        sys.exit(__doc__)
    if not (ROOT / "course").is_dir() and arguments[0] not in ("lab", "lab-small"):
        sys.exit("The students' kit has only the commands lab and lab-small.")
    check_python()
    command, extras = COMMANDS[arguments[0]]
    try:
        install(extras)
        return command(*arguments[1:])
    except KeyboardInterrupt:
        return 130  # what a shell says after Ctrl-C


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
