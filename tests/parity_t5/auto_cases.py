"""Random folders of tokenizers and configurations, with files that are present, missing, damaged or contradictory.

Adds: `write_variant`, which writes a folder, and `call`, a call of an Auto class on it. Both are drawn with a `Random`,
    so that the same seed gives the same folders.
Leaves out: model types of the library that the kit does not have, and models of the families without a model.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

from tests.tokenizer_folders import FOLDERS, write_folder

ROOT = Path(__file__).parents[2]
SLOW = {
    "albert": "AlbertTokenizer", "bert": "BertTokenizer", "gpt2": "GPT2Tokenizer", "roberta": "RobertaTokenizer",
    "t5": "T5Tokenizer", "xlm-roberta": "XLMRobertaTokenizer",
}  # fmt: skip
CONFIGS = ("config.json", "tokenizer_config.json")
VALUES: tuple[Any, ...] = (None, 5, True, ["T5Tokenizer"], {}, "", "NoSuchTokenizer", "PreTrainedTokenizer")
BROKEN = (b"", b"{", b'{"model_type": "t5"', b"[]", b'"t5"', b"null", b"7", b'\xef\xbb\xbf{"a": 1}', b'{"a": "\xff"}')
HEADS = (
    *("AutoModel", "AutoModelForSeq2SeqLM", "AutoModelForPreTraining", "AutoModelWithLMHead", "AutoModelForCausalLM"),
    *("AutoModelForMaskedLM", "AutoModelForSequenceClassification"),
)
CLASS_OF_CODE = ("AutoConfig", "AutoTokenizer", "AutoModel", "AutoModelForSeq2SeqLM")


def write_families(base: Path) -> None:
    """Write the six families' folders, and the weights of a small T5."""
    for family in FOLDERS:
        write_folder(family, base / family)
    shutil.copytree(ROOT / "data" / "t5-tiny", base / "weights")


def write_variant(draw: random.Random, base: Path, number: int) -> tuple[str, str]:
    """Write a folder with files of one family, and return its name and the family."""
    family = draw.choice(FOLDERS)
    name = f"v{number}-{draw.choice((family, family, 'x', 'x', draw.choice(FOLDERS), family.upper(), 'xlm-roberta'))}"
    folder = base / name / draw.choice(("", "", "", "", "sub"))
    folder.mkdir(parents=True)
    for source in (base / family).iterdir():
        keep = 0.5 if source.name == "tokenizer.json" else 0.9
        if source.name not in CONFIGS and draw.random() < keep:
            os.link(source, folder / source.name)
    if family == "t5":
        os.link(base / "weights" / "model.safetensors", folder / "model.safetensors")
    for file, content in (("config.json", config), ("tokenizer_config.json", tokenizer_config)):
        if draw.random() < 0.75:
            (folder / file).write_bytes(content(draw, family))
    return name, family


def config(draw: random.Random, family: str) -> bytes:
    """Return the content of a config.json."""
    if draw.random() < 0.06:
        return draw.choice(BROKEN)
    sizes = json.loads((ROOT / "data" / "t5-tiny" / "config.json").read_text(encoding="utf-8"))
    settings: dict[str, Any] = sizes if family == "t5" else {"hidden_size": 8}
    settings.pop("model_type", None)
    drawn = draw.random()
    if drawn < 0.6:
        settings["model_type"] = family
    elif drawn < 0.7:
        settings["model_type"] = draw.choice(FOLDERS)
    elif drawn < 0.75:
        settings["model_type"] = draw.choice(("no-such-type", None, 5, [], {"a": 1}, "", "T5"))
    elif drawn < 0.8:
        parts = {name: {"model_type": draw.choice(FOLDERS)} for name in ("encoder", "decoder") if draw.random() < 0.95}
        return json.dumps({"model_type": "encoder-decoder", **parts}).encode()
    if draw.random() < 0.25:
        settings["tokenizer_class"] = tokenizer_class(draw, family)
    return json.dumps({**settings, **auto_map(draw)}).encode()


def tokenizer_config(draw: random.Random, family: str) -> bytes:
    """Return the content of a tokenizer_config.json."""
    if draw.random() < 0.06:
        return draw.choice(BROKEN)
    settings: dict[str, Any] = {"model_max_length": 32} if draw.random() < 0.5 else {}
    if draw.random() < 0.5:
        settings["tokenizer_class"] = tokenizer_class(draw, family)
    return json.dumps({**settings, **auto_map(draw)}).encode()


def tokenizer_class(draw: random.Random, family: str) -> Any:
    """Return a value of the key tokenizer_class: mostly a class of the family."""
    drawn = draw.random()
    if drawn < 0.65:
        return SLOW[family] + draw.choice(("", "Fast"))
    if drawn < 0.75:
        return SLOW[draw.choice(FOLDERS)] + draw.choice(("", "Fast"))
    return "PreTrainedTokenizerFast" if drawn < 0.85 else draw.choice(VALUES)


def auto_map(draw: random.Random) -> dict[str, Any]:
    """Return an entry auto_map, or nothing."""
    if draw.random() < 0.9:
        return {}
    code = {name: "code.Class" if name != "AutoTokenizer" else ["code.Slow", None] for name in CLASS_OF_CODE}
    chosen = {name: code[name] for name in CLASS_OF_CODE if draw.random() < 0.4}
    return {"auto_map": draw.choice((chosen, chosen, chosen, chosen, [], ["code.Slow", None], None, "AutoConfig", 3))}


def call(draw: random.Random, base: Path, number: int) -> dict[str, Any]:
    """Write a folder, and return a call on it."""
    folder, family = write_variant(draw, base, number)
    heads = [draw.choice(HEADS)] * 6
    autos = ["AutoTokenizer"] * 7 + ["AutoConfig"] * 2 + (heads if may_be_model(base / folder, family) else [])
    auto, options = draw.choice(autos), dict[str, Any]()
    if draw.random() < 0.03:
        folder = draw.choice((f"{folder}-missing", f"{folder}/config.json", f"no/such/{folder}", "no such folder"))
    if (base / folder / "sub").is_dir() and draw.random() < 0.9:
        options["subfolder"] = "sub"
    if auto == "AutoTokenizer":
        options |= {"use_fast": draw.random() < 0.5} if draw.random() < 0.7 else {}
        options |= {"tokenizer_type": draw.choice((*FOLDERS, family, "no-type", ""))} if draw.random() < 0.1 else {}
        options |= {"config": draw.choice(FOLDERS)} if draw.random() < 0.1 else {}
        options |= {"tokenizer_class": SLOW[family]} if draw.random() < 0.03 else {}
    elif auto == "AutoConfig":
        if draw.random() < 0.5:
            options |= {"return_unused_kwargs": True, "num_beams": 3, "unknown": 1, "torch_dtype": "float32"}
    elif draw.random() < 0.1:
        options["config"] = "weights"
    return {"auto": auto, "folder": folder, "options": options}


def may_be_model(folder: Path, family: str) -> bool:
    """Return False if the library would build a model of a family that the kit has no model for."""
    try:
        text = next(folder.rglob("config.json")).read_text(encoding="utf-8")
        model_type = json.loads(text).get("model_type", folder.name)
    except (StopIteration, ValueError, AttributeError):
        return family == "t5"
    others = ("encoder-decoder", *FOLDERS)
    return family == "t5" and not any(other in str(model_type) for other in others if other != "t5")
