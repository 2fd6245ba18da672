"""In a student's process, torch has no layers, whatever they are called; what computes with tensors is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from course.sandbox.process import StudentProcess

pytestmark = pytest.mark.slow  # torch is read again, in a sandbox

BEFORE = "import importlib, sys, types\nimport torch\nx = torch.ones(2, 4, 8)"
LAYERS = [
    'getattr(getattr(torch, "n" + "n"), "functional").rms_norm(x, (8,))',
    'eval("torch.n" + "n.functional.layer_norm(x, (8,))")',
    "torch.rms_norm(x, (8,))",
    "torch._C._VariableFunctions.rms_norm(x, [8])",
    "torch._VF.layer_norm(x, [8])",
    "type(torch._C._VariableFunctions).rms_norm(x, [8])",
    "torch.nn.functional.scaled_dot_product_attention(x, x, x)",
    "torch._C._nn.scaled_dot_product_attention(x, x, x)",
    "torch._scaled_dot_product_attention_math(x, x, x)",
    "torch._C._nn.cross_entropy_loss(x[0], torch.arange(4))",
    "torch.nn.Linear(8, 8)(x)",
    "torch.nn.RMSNorm.forward(types.SimpleNamespace(normalized_shape=(8,), weight=None, eps=None), x)",
    "torch.ops.aten.rms_norm(x, [8])",
    'torch._ops._OpNamespace("aten").rms_norm(x, [8])',
    'torch._C._jit_get_operation("aten::rms_norm")[0](x, [8])',
    'torch.jit.CompilationUnit("def f(x: Tensor):\\n    return torch.rms_norm(x, [8])\\n").f(x)',
    "torch.compile(lambda x: x)",
    "torch.optim.AdamW([x.clone().requires_grad_()])",
    "torch.nn.utils.clip_grad_norm_([x], 1.0)",
]
# Here, what torch keeps would stay changed.
DEEP = [
    'torch.jit._state._python_cu.define("def f(x: Tensor):\\n    return x.silu()\\n", lambda name: None)',
    'importlib.import_module("torch._refs.nn.functional").layer_norm(x, (8,))',
]
ARITHMETIC = [
    "torch.softmax(x, -1)",
    "x.log_softmax(-1)",
    'torch.einsum("abc,adc->abd", x, x)',
    "x @ x.mT",
    "torch.cat([x, x]).split(2, -1)[0]",
    "torch.tril(torch.ones(3, 3)).masked_fill(x[0, :3, :3] > 1, 0)",
    "x.sort(descending=True).values",
    "torch.multinomial(torch.ones(3), 1, generator=torch.Generator().manual_seed(1))",
    "torch.logsumexp(x, -1)",
    "x.unflatten(2, (2, 4)).norm()",
    "(y := x.clone().requires_grad_()).pow(2).sum().backward() or y.grad",
    "torch.polar(x[0], x[0])",
    "torch.unique(x, return_counts=True)[1]",
    "torch.tensor(len(repr(x)))",
]


@pytest.fixture(scope="module")
def student() -> Iterator[StudentProcess]:
    with StudentProcess(["torch"]) as process:
        assert not process.cell(BEFORE, 1)["error"]
        yield process


@pytest.mark.parametrize("layer", LAYERS)
def test_no_name_leads_to_a_layer(student: StudentProcess, layer: str) -> None:
    here: dict[str, Any] = {}
    exec(BEFORE, here)
    eval(layer, here)  # outside, it does
    assert student.cell(layer, 2)["error"]


@pytest.mark.parametrize("layer", DEEP)
def test_nor_does_what_torch_keeps(student: StudentProcess, layer: str) -> None:
    assert "is not available here" in student.cell(layer, 2)["error"]["message"]


@pytest.mark.parametrize("use", ARITHMETIC)
def test_what_computes_with_tensors_is_there(student: StudentProcess, use: str) -> None:
    assert not student.cell(f"result = {use}\nassert torch.is_tensor(result)", 3)["error"]


def test_a_stand_in_has_the_name_of_what_it_replaces(student: StudentProcess) -> None:
    error = student.cell("torch.nn.functional.silu(x)", 4)["error"]
    assert error["message"] == "torch.nn.functional.silu is not available here"
