"""Small programs with what the model zoo was found to contain, in the format of the export corpus (see export_corpus_test).

    cd tests/data && python make_zoo_cases.py zoo

Needs torch, torchao, transformers (for their operators' names) and safetensors.
"""

import json
import logging
import sys
import warnings

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401
import torchao.quantization  # noqa: F401
import transformers.integrations.moe  # noqa: F401
from safetensors.torch import save_file
from torch.utils._pytree import tree_flatten

from export_models import without_folders

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
torch.manual_seed(0)
q, ao = torch.ops.quantized_decomposed, torch.ops.torchao
tensors, rows = {}, []


def key(t):
    tensors[str(len(tensors))] = t.detach().contiguous().clone()
    return str(len(tensors) - 1)


class Call(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *inputs):
        return self.f(*inputs)


def case(name, f, *inputs):
    module = f if isinstance(f, torch.nn.Module) else Call(f)
    program = without_folders(torch.export.export(module, inputs, strict=False))
    torch.export.save(program, f"{sys.argv[1]}/{name}.pt2")
    outputs = tree_flatten(module(*inputs))[0]
    # Some of these operators tell the exporter another dtype than they give.
    told = [n.meta["val"].dtype for n in program.graph.find_nodes(op="output")[0].all_input_nodes]
    rows.append(dict(name=name, file=f"{name}.pt2", inputs=[key(t) for t in inputs], outputs=[key(t.to(d)) for t, d in zip(outputs, told)]))


r = torch.randn
x = r(5, 12) * 3
tie = (torch.arange(24).view(2, 12) - 12) * 0.5  # halfway between two steps
scales, zeros = torch.rand(12) * 0.1 + 0.01, torch.randint(-5, 5, (12,))
bytes8 = torch.randint(-128, 128, (5, 12), dtype=torch.int8)
case(
    "quantize_tensor",
    lambda x, t: (
        q.quantize_per_tensor(x, 0.0371, 3, -128, 127, torch.int8),
        q.quantize_per_tensor(x, 0.02, 100, 0, 255, torch.uint8),
        q.quantize_per_tensor(t, 1.0, 0, -4, 4, torch.int8),
    ),
    x,
    tie,
)
case(
    "quantize_tensor_by_tensors",
    lambda x, s, z: q.quantize_per_tensor(x, s, z, -128, 127, torch.int8),
    x,
    torch.tensor([0.0371], dtype=torch.float64),
    torch.tensor([3]),
)
case("quantize_half", lambda x: q.quantize_per_tensor(x, 0.0371, 3, -128, 127, torch.int8), x.bfloat16())
case(
    "dequantize_tensor",
    lambda b: (
        q.dequantize_per_tensor(b, 0.0371, 3, -128, 127, torch.int8),
        q.dequantize_per_tensor(b, 0.0371, 3, -128, 127, torch.int8, out_dtype=torch.float16),
    ),
    bytes8,
)
case(
    "dequantize_tensor_by_tensors",
    lambda b, s, z: q.dequantize_per_tensor(b, s, z, -128, 127, torch.int8),
    bytes8,
    torch.tensor([0.0371], dtype=torch.float64),
    torch.tensor([3]),
)
case(
    "quantize_channels",
    lambda x, s, z: (
        q.quantize_per_channel(x, s, z, 1, -128, 127, torch.int8),
        q.quantize_per_channel(x, s[:5].double(), z[:5], 0, -127, 127, torch.int8),
    ),
    x,
    scales,
    zeros,
)
case(
    "dequantize_channels",
    lambda b, s, z: (
        q.dequantize_per_channel(b, s, z, 1, -128, 127, torch.int8),
        q.dequantize_per_channel(b, s[:5], None, 0, -127, 127, torch.int8),
        q.dequantize_per_channel(b, s.double(), z, -1, -128, 127, torch.int8),
    ),
    bytes8,
    scales,
    zeros,
)
case(
    "choose_tensor",
    lambda x: (
        *q.choose_qparams(x, -128, 127, 1e-5, torch.int8),
        *q.choose_qparams(x.abs() + 1, 0, 255, 1e-5, torch.uint8),
        *q.choose_qparams_symmetric(x, -127, 127, 1e-5, torch.int8),
        *q.choose_qparams_symmetric(x * 0, 0, 255, 1e-3, torch.uint8),
    ),
    x,
)
case(
    "choose_rows",
    lambda x: (
        *q.choose_qparams_per_token(x, torch.int8),
        *q.choose_qparams_per_token_asymmetric(x, torch.int8),
        *q.choose_qparams_per_token_asymmetric(-x.abs(), torch.int8),
    ),
    x,
)
case(
    "rows",
    lambda x, s, z: (lambda b: (b, q.dequantize_per_token(b, s, z, -128, 127, torch.int8, torch.float32)))(
        q.quantize_per_token(x, s, z, -128, 127, torch.int8)
    ),
    x,
    scales[:5, None],
    zeros[:5, None],
)
case(
    "groups",
    lambda x, s, z: (
        lambda b: (
            b,
            q.dequantize_per_channel_group(b, s, z, -8, 7, torch.int8, 4, torch.float32),
            q.dequantize_per_channel_group(b, s, None, -8, 7, torch.int8, 4, torch.float32),
        )
    )(q.quantize_per_channel_group(x, s, z, -8, 7, torch.int8, 4)),
    x,
    torch.rand(5, 3) + 0.2,
    torch.randint(-2, 2, (5, 3)),
)
for mapping in ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"):
    for block in ((1, 4), (5, 12), (1, 12)):

        def blocks(x):
            scale, zero = ao.choose_qparams_affine(x, mapping, block, torch.int8, -8, 7, None, None, torch.int64)
            b = ao.quantize_affine(x, block, scale, zero, torch.int8, -8, 7)
            return (
                scale,
                zero,
                b,
                ao.dequantize_affine(b, block, scale, zero, torch.int8, -8, 7),
                ao.dequantize_affine(b, block, scale, None, torch.int8),
            )

        case(f"blocks_{mapping.lower()}_{block[0]}_{block[1]}", blocks, x)
case(
    "blocks_keepdim",
    lambda x: ao.choose_qparams_affine(x, "ASYMMETRIC", (1, 4), torch.int8, None, None, 1e-6, torch.float32, torch.int8, True),
    x,
)
case(
    "int_mm",
    lambda a, b: torch._int_mm(a, b),
    torch.randint(-128, 128, (17, 16), dtype=torch.int8),
    torch.randint(-128, 128, (16, 8), dtype=torch.int8),
)
ends = torch.tensor([2, 2, 6], dtype=torch.int32)
case("grouped_mm_fallback", lambda x, w, e: torch.ops.transformers.grouped_mm_fallback(x, w, e), r(6, 5), r(3, 5, 7), ends)
case("grouped_mm_bf16", lambda x, w, e: torch._grouped_mm(x, w, offs=e), r(6, 16).bfloat16(), r(3, 16, 8).bfloat16(), ends)
case(
    "is_all_true",
    lambda m: (
        torch.ops.aten._is_all_true(m),
        torch.ops.aten._is_any_true(m),
        torch.ops.aten._is_all_true(m | True),
        torch.ops.aten._is_any_true(m & False),
    ),
    torch.tensor([[True, False]]),
)
save_file(tensors, f"{sys.argv[1]}/tensors.safetensors")
with open(f"{sys.argv[1]}/index.jsonl", "w") as index:
    index.write("\n".join(map(json.dumps, rows)) + "\n")
print(len(rows), "cases")
