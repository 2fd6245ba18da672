"""Save in child processes that kill themselves before their k-th file operation, for every k, and load what is left.

Run by `test_saving.py` as a process of its own, because it forks: `killed_saves.py WHAT FOLDER`. Prints a JSON object.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tokenlab import data
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.generation import GenerationConfig
from tokenlab.storage import saving

OPERATIONS = ("open", "os.chmod", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "fcntl.flock")
Save = Callable[[Path], Any]
Load = Callable[[Path], Any]


def model(d_ff: int, max_length: int) -> Any:
    torch.manual_seed(d_ff)
    config = T5Config(vocab_size=12, d_model=4, d_kv=2, d_ff=d_ff, num_layers=1, num_heads=2, decoder_start_token_id=0)
    built = T5ForConditionalGeneration(config)
    built.generation_config.max_length = max_length
    return built


def loaded_model(folder: Path) -> Any:
    loaded = T5ForConditionalGeneration.from_pretrained(folder)
    sums = {name: round(float(tensor.sum()), 4) for name, tensor in loaded.state_dict().items()}
    return loaded.config.d_ff, loaded.generation_config.max_length, sums


def tokenizer(*words: str, **arguments: Any) -> Any:
    built = T5Tokenizer.from_pretrained(data.t5_tiny(), **arguments)
    built.add_tokens(list(words))
    return built


def loaded_tokenizer(folder: Path) -> Any:
    loaded = T5Tokenizer.from_pretrained(folder)
    return loaded.get_added_vocab(), loaded.model_max_length, loaded.special_tokens_map


def loaded_config(folder: Path) -> Any:
    return T5Config.from_pretrained(folder).d_ff, GenerationConfig.from_pretrained(folder).max_length


def cases(what: str) -> tuple[Save, Save, Load]:
    """Return how to save the old version and the new one, and how to load."""
    if what == "model":
        old, new = model(5, 7), model(6, 8)
        # The old weights are in three files of another format, which have to go.
        return (
            lambda folder: old.save_pretrained(folder, safe_serialization=False, max_shard_size=700),
            new.save_pretrained,
            loaded_model,
        )
    if what == "tokenizer":
        return tokenizer("old").save_pretrained, tokenizer(model_max_length=9).save_pretrained, loaded_tokenizer
    old, new = model(5, 7), model(6, 7)
    return old.save_pretrained, new.config.save_pretrained, loaded_config


def dies(act: Callable[[], Any], number: int) -> bool:
    """Whether a child that acts was killed before its file operation of this number, counted from one."""
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, -signal.SIGKILL)
        return code != 0
    done = 0

    def count(event: str, _: Any) -> None:
        nonlocal done
        if event.startswith(OPERATIONS):
            done += 1
            if done != number:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        sys.addaudithook(count)
        act()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def version(load: Load, folder: Path, known: dict[str, Any]) -> str:
    """Return "old" or "new", or what else was loaded."""
    try:
        found = load(folder)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return next((name for name, value in known.items() if value == found), repr(found))


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def main(what: str, scratch: Path) -> dict[str, Any]:
    save_old, save_new, load = cases(what)
    start, folder, copy = scratch / "start", scratch / "folder", scratch / "copy"
    save_old(start)
    known = {"old": load(start)}
    shutil.copytree(start, folder)
    save_new(folder)
    known["new"] = load(folder)
    names = sorted(os.listdir(folder))
    (start / "README.md").write_text("mine", encoding="utf-8")
    seen: list[tuple[str, str]] = []
    leftovers: list[int] = []
    problems: list[str] = []
    killed, interrupted = True, False
    while killed:
        number = len(seen) + 1
        shutil.rmtree(folder)
        shutil.copytree(start, folder)
        killed = dies(lambda: save_new(folder), number)
        leftovers.append(len(hidden(folder)))
        if (folder / saving.COMMITTED).exists() and not interrupted:
            interrupted = True  # once, a reader is killed as well, before each of its file operations
            again, reading = True, 0
            while again:
                reading += 1
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(folder, copy)
                again = dies(lambda: saving.recover(copy), reading)
                if (found := version(load, copy, known)) != "new":
                    problems.append(f"save killed at {number}, reader at {reading}: {found}")
        recover, saving.recover = saving.recover, lambda *_, **__: None  # a reader that must not write
        first = version(load, folder, known)
        saving.recover = recover
        seen.append((first, version(load, folder, known)))
        save_new(folder)
        if sorted(os.listdir(folder)) != sorted([*names, "README.md"]) or version(load, folder, known) != "new":
            problems.append(f"the save after the one killed at {number} left {sorted(os.listdir(folder))}")
    return {"seen": seen, "leftovers": leftovers, "problems": problems}


if __name__ == "__main__":
    warnings.simplefilter("error")
    torch.set_num_threads(1)
    os.fsync = lambda handle: None  # slow, and a kill, unlike a power failure, loses nothing that was written
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
