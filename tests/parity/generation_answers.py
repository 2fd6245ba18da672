"""What a library's `generate` answers to a call: asked of ours, and of transformers 4.26.1 by its own Python.

A line of JSON on standard input is a call: the model's `config` and `weights`, `input_ids`, `attention_mask`, `seed`
and the `settings` of generate; or the name of a `loop`. A line comes back. It imports nothing of tokenlab.
"""

from __future__ import annotations

import json
import sys
import warnings

import torch


def plain(value):
    """Tensors, and tuples of them, as lists."""
    if isinstance(value, torch.Tensor):
        # JSON knows no infinity; it stands for tokens that are forbidden.
        return value.double().nan_to_num(nan=-3e9, neginf=-2e9, posinf=2e9).tolist()
    return [plain(each) for each in value] if isinstance(value, (tuple, list)) else value


def constraint(library, ids):
    """A phrase for ids, one of several for lists of ids."""
    return library.DisjunctiveConstraint(ids) if isinstance(ids[0], list) else library.PhrasalConstraint(ids)


def answer(library, call):
    """Everything that generate answers by name."""
    torch.set_num_threads(1)
    model = library.T5ForConditionalGeneration(library.T5Config(**call["config"]))
    model.load_state_dict({name: torch.tensor(values) for name, values in call["weights"].items()})
    model.eval()
    for name in ("output_attentions", "output_hidden_states"):
        # 4.26.1 does not hand them on to contrastive search, which asks here.
        setattr(model.generation_config, name, call["settings"].get(name, False))
    names = ("input_ids", "attention_mask", "decoder_input_ids")
    given = {name: torch.tensor(call[name]) for name in names if name in call}
    if call.get("read_as") == "inputs_embeds":
        given["inputs_embeds"] = model.get_input_embeddings()(given.pop("input_ids")).detach()
    if call.get("read_as") == "encoder_outputs":
        read = {"input_ids": given.pop("input_ids"), "attention_mask": given.get("attention_mask")}
        wanted = {name: call["settings"].get(name) for name in ("output_attentions", "output_hidden_states")}
        given["encoder_outputs"] = model.get_encoder()(**read, **wanted)
    if "allowed" in call:
        lists = call["allowed"]
        given["prefix_allowed_tokens_fn"] = lambda text, ids: lists[(text + len(ids)) % len(lists)]
    if "constraints" in call:
        given["constraints"] = [constraint(library, ids) for ids in call["constraints"]]
    settings = {**call["settings"], "return_dict_in_generate": True}
    if call.get("as_configuration"):
        settings = {"generation_config": library.GenerationConfig(**settings)}
    torch.manual_seed(call["seed"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        output = model.generate(**given, **settings)
    answers = {name: plain(output[name]) for name in output}  # by our ModelOutput's and by theirs
    answers["next draw"] = torch.rand(1).item()
    known = "beam_indices" in answers or call["settings"].get("num_beams", 1) == 1
    if "scores" in answers and known and call["settings"].get("num_beam_groups", 1) == 1:
        rows = output.beam_indices.clone() if "beam_indices" in answers else None
        answers["transitions"] = plain(model.compute_transition_scores(output.sequences, output.scores, rows))
    return answers


def loop_answer(library, call):
    """Everything that a loop answers by name, asked without generate: with a scorer and processors of its own."""
    torch.set_num_threads(1)
    model = library.T5ForConditionalGeneration(library.T5Config(**call["config"]))
    model.load_state_dict({name: torch.tensor(values) for name, values in call["weights"].items()})
    model.eval()
    beams, outputs = call.get("num_beams", 1), call.get("outputs", 1)
    ids = torch.tensor(call["input_ids"]).repeat_interleave(beams, dim=0)
    mask = (ids != 0).long()
    wanted = {"output_attentions": call["everything"], "output_hidden_states": call["everything"]}
    processors = [library.MinLengthLogitsProcessor(4, eos_token_id=1), library.RepetitionPenaltyLogitsProcessor(1.3)]
    given = {
        "encoder_outputs": model.get_encoder()(ids, attention_mask=mask, return_dict=True, **wanted),
        "attention_mask": mask,
        "stopping_criteria": library.StoppingCriteriaList([library.MaxLengthCriteria(max_length=9)]),
        "pad_token_id": 0,
        "eos_token_id": 1,
        "return_dict_in_generate": True,
        "output_scores": True,
        **wanted,
    }
    settings = {"batch_size": len(ids) // beams, "num_beams": beams, "device": model.device}
    settings |= {"length_penalty": call["length_penalty"], "num_beam_hyps_to_keep": outputs}
    if "sample" in call["loop"]:
        given["logits_warper"] = library.LogitsProcessorList([library.TemperatureLogitsWarper(0.7)])
    if call["loop"] == "group_beam_search":
        settings["num_beam_groups"] = groups = call["groups"]
        processors.append(library.HammingDiversityLogitsProcessor(1.5, num_beams=beams, num_beam_groups=groups))
    if call["loop"] == "constrained_beam_search":
        constraints = [constraint(library, ids) for ids in call["constraints"]]
        given["constrained_beam_scorer"] = library.ConstrainedBeamSearchScorer(constraints=constraints, **settings)
    elif beams > 1:
        given["beam_scorer"] = library.BeamSearchScorer(**settings)
    if call["loop"] == "contrastive_search":
        given |= {"top_k": 4, "penalty_alpha": 0.6}
    given["logits_processor"] = library.LogitsProcessorList(processors)
    torch.manual_seed(call["seed"])
    output = getattr(model, call["loop"])(torch.zeros(len(ids), 1, dtype=torch.long), **given)
    return {"kind": type(output).__name__} | {name: plain(output[name]) for name in output}


def mend(constraint_class):
    """Let copies of a constraint have tokens of their own: of two ways on, the second one is no break."""
    plainly = constraint_class.copy

    def copy(self, stateful=False):
        other = plainly(self, stateful)
        other.current_seq = list(other.current_seq)
        return other

    constraint_class.copy = copy


if __name__ == "__main__":
    import transformers

    mend(transformers.DisjunctiveConstraint)

    for line in sys.stdin:
        try:
            call = json.loads(line)
            print(json.dumps((loop_answer if "loop" in call else answer)(transformers, call)), flush=True)
        except Exception as error:
            print(json.dumps({"refused": f"{type(error).__name__}: {error}"}), flush=True)
