"""What transformers 4.26.1 makes of the tiny T5: run by its own Python, with the folder; questions come as JSON."""

import json
import sys


def answers(folder, asked):
    """What the library loads from the folder, and what it says to the questions."""
    import torch
    from transformers import T5ForConditionalGeneration, T5Tokenizer

    torch.set_num_threads(1)
    tokenizer = T5Tokenizer.from_pretrained(folder)
    model, loading = T5ForConditionalGeneration.from_pretrained(folder, output_loading_info=True)
    model.eval()
    batch = tokenizer(asked["texts"], padding=True, return_tensors="pt")
    with torch.no_grad():
        output = model(**batch, labels=torch.tensor(asked["labels"]))
        written = model.generate(**batch, max_length=30, num_beams=1, do_sample=False)
    return {
        "input_ids": batch.input_ids.tolist(),
        "loss": output.loss.item(),
        "logits": output.logits.tolist(),
        "written": tokenizer.batch_decode(written, skip_special_tokens=True),
        "loading": {name: list(keys) for name, keys in loading.items()},
        "dtype": str(model.dtype),
        "sentinels": sorted(tokenizer.convert_tokens_to_ids(tokenizer.additional_special_tokens)),
        "start": model.generation_config.decoder_start_token_id,
    }


if __name__ == "__main__":
    print(json.dumps(answers(sys.argv[1], json.load(sys.stdin))))
