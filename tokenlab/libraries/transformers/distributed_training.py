"""Training in several processes: each one computes the gradients of its part of every batch.

Adds: the loss of the whole batch, so that several processes learn the same as one process does.
Leaves out: the copy of the model in each process and the exchange of gradients, which are accelerate's and PyTorch's.

>>> from accelerate import Accelerator
>>> from torch.optim import SGD
>>> from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
>>> from tokenlab.libraries.transformers.training_loop import learning_rates, pad_batch, train_model
>>> accelerator = Accelerator(cpu=True)
>>> model = T5ForConditionalGeneration(T5Config(10, 8, 4, 16, 1, num_heads=2, decoder_start_token_id=0))
>>> model, optimizer = accelerator.prepare(model, SGD(model.parameters()))
>>> batches = [pad_batch([([7, 8, 1], [9, 1]), ([7, 1], [1])])] * 2
>>> train_model(WholeBatchLoss(model, accelerator), optimizer, batches, learning_rates(2, 0.1), 0, accelerator.backward)
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from tokenlab.libraries.transformers.modeling.input_checks import IGNORE_INDEX
from tokenlab.libraries.transformers.training_loop import Batch


class WholeBatchLoss(nn.Module):
    """A model that gets whole batches, the same ones in each process, and reads a part of each of them.

    Args:
        model: the model, as `accelerator.prepare` returns it.
        accelerator: the `accelerate.Accelerator` of this process.
    """

    def __init__(self, model: nn.Module, accelerator: Any) -> None:
        super().__init__()
        self.model, self.accelerator = model, accelerator

    def forward(self, **batch: Tensor) -> Any:
        """Return the output for this process's part, with the loss of the whole batch.

        The value of this loss is the mean over all tokens of the batch, and the mean of its gradients over the
        processes is the gradient of that mean.

        Raises:
            ValueError: there are fewer pairs than processes.
        """
        part = part_of_batch(batch, self.accelerator)
        output = self.model(**part)
        loss = output.loss * share_of_tokens(part, self.accelerator)
        # The value comes from all processes, the gradient from this one; PyTorch takes the mean of the gradients.
        output.loss = loss + (self.accelerator.reduce(loss.detach(), "mean") - loss.detach())
        return output


def part_of_batch(batch: Batch, accelerator: Any) -> Batch:
    """Return the pairs of a batch that this process reads, on its device.

    Raises:
        ValueError: there are fewer pairs than processes.
    """
    size, processes = len(batch["labels"]), accelerator.num_processes
    if size < processes:
        raise ValueError(f"a batch of {size} cannot be divided among {processes} processes; take larger batches")
    mine = slice(accelerator.process_index, None, processes)
    return {name: tensor[mine].to(accelerator.device) for name, tensor in batch.items()}


def share_of_tokens(part: Batch, accelerator: Any) -> Tensor:
    """Return the number of tokens in a part's labels, divided by its mean over the processes.

    subtle: the loss of a part is a mean over its tokens. The mean of such means over the processes would weight the
    tokens of a short part more than others. Multiplied by this share, each token weighs the same.
    """
    tokens = (part["labels"] != IGNORE_INDEX).sum().float()
    share: Tensor = tokens / accelerator.reduce(tokens, "mean")
    return share
