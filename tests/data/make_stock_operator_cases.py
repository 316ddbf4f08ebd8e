"""What ExecuTorch's own operators compute (namespaces llama, quantized_decomposed, et_copy, preprocess), from its ahead-of-time
libraries, and from PyTorch where it has the operator; and small stock programs that call them.

    cd tests/data && python make_stock_operator_cases.py stock_operators

Needs torch, executorch and safetensors.
"""
import json
import logging
import os
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import executorch.kernels.quantized  # noqa: E402, F401
import torch  # noqa: E402
import torch.ao.quantization.fx._decomposed  # noqa: E402, F401
from executorch.exir import EdgeCompileConfig, to_edge  # noqa: E402
from executorch.extension.llm.custom_ops import custom_ops, op_fallback  # noqa: E402, F401
from safetensors.torch import save_file  # noqa: E402

from make_random_cases import CALL_TENSORS, CALLS, encode  # noqa: E402

llama, quantized = torch.ops.llama, torch.ops.quantized_decomposed
F32, F16, BF16, F64 = torch.float32, torch.float16, torch.bfloat16, torch.float64


def call(name, f, *args, changed=(), **kwargs):
    """`changed`: arguments that the call writes; their new contents follow the results."""
    row = {"op": name, "args": [encode(a) for a in args], "kwargs": {k: encode(v) for k, v in kwargs.items()}}
    args = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
    out = f(*args, **kwargs)
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    row["out"] = {"list": [encode(o) for o in outs]}
    if changed:
        row["changed"] = {str(i): encode(args[i]) for i in changed}
        row["out"] = {"list": [None for _ in outs]} if name.startswith("llama::update") else row["out"]
    CALLS.append(row)


def attention():
    for dtype in (F32, F16, BF16):
        for batch, rows, heads, key_heads, keys, width, start in ((1, 3, 2, 2, 8, 4, 2), (2, 1, 4, 2, 8, 8, 5), (1, 5, 3, 1, 5, 7, 0), (1, 40, 2, 1, 50, 16, 10)):
            q = torch.randn(batch, rows, heads, width).to(dtype)
            k, v = (torch.randn(batch, keys, key_heads, width).to(dtype) for _ in range(2))
            call("llama::custom_sdpa", llama.custom_sdpa, q, k, v, start, None, 0.0, True)
            call("llama::custom_sdpa", llama.custom_sdpa, q, k, v, start, None, 0.0, False, 0.25)
            mask = torch.where(torch.rand(rows, keys) < 0.3, float("-inf"), 0.0)
            mask[:, 0] = 0.5
            call("llama::custom_sdpa", llama.custom_sdpa, q, k, v, start, mask, 0.0, False)
            new = [torch.randn(batch, rows, key_heads, width).to(dtype) for _ in range(2)]
            call("llama::sdpa_with_kv_cache", llama.sdpa_with_kv_cache, q, *new, k, v, start, rows, None, 0.0, True, changed=(3, 4))
            call("llama::update_cache", llama.update_cache, new[0], k, start, changed=(1,))
            order = torch.stack([torch.randperm(keys)[:rows] for _ in range(batch)])
            call("llama::update_cache_with_indices", llama.update_cache_with_indices, new[0], k, 0, order, changed=(1,))
    for second in (False, True):
        shape = (1, 2, 3, 8) if second else (1, 3, 2, 8)
        q, k, v = (torch.randint(-128, 128, shape, dtype=torch.int8) for _ in range(3))
        zeros = [torch.randint(-5, 5, shape[:3] + (1,), dtype=torch.int8) for _ in range(3)]
        scales = [torch.rand(shape[:3] + (1,)) * 0.02 for _ in range(3)]
        parameters = [t for pair in zip(zeros, scales) for t in pair]
        call("llama::custom_quantized_sdpa", llama.custom_quantized_sdpa, q, k, v, 0, None, 0.0, True, None, *parameters, second)
        call("llama::custom_quantized_sdpa", llama.custom_quantized_sdpa, q, k, v, 0, torch.randn(3, 3), 0.0, False, 0.5, *parameters, second)
    for batch, heads, group, tokens, keys, values in ((1, 1, 1, 1, 4, 4), (2, 2, 3, 5, 4, 6), (1, 2, 1, 33, 8, 3)):
        q, k = torch.randn(batch, heads * group, tokens, keys), torch.randn(batch, heads, tokens, keys) / keys**0.5
        v, beta = torch.randn(batch, heads, tokens, values), torch.rand(batch, heads, tokens)
        state = torch.randn(batch, heads, keys, values)
        call("llama::gated_delta_rule", llama.gated_delta_rule, q, k, v, torch.rand(batch, heads, tokens) * 0.5 + 0.5, beta, state)
        call("llama::channelwise_gated_delta_rule", llama.channelwise_gated_delta_rule, q, k, v, torch.rand(batch, heads, tokens, keys) * 0.5 + 0.5, beta, state)
    for dtype in (F32, F64, F16):
        for shape in ((8,), (1,), (3, 16), (2, 28), (1, 2, 56), (0, 4), (64,)):
            call("llama::fast_hadamard_transform", llama.fast_hadamard_transform, torch.randn(shape).to(dtype))
    call("llama::fallback", llama.fallback, torch.randn(2, 3))
    for dtype in (F32, torch.uint8):
        call("preprocess::tile_crop", lambda x, s: x.reshape(3, 4 // s, s, 6 // s, s).permute(1, 3, 0, 2, 4).reshape(-1, 3, s, s),
             (torch.rand(3, 4, 6) * 200).to(dtype), 2)


def quantization():
    def name(op, overload="out"):
        return f"quantized_decomposed::{op}.{overload}"

    limits = {torch.int8: (-128, 127), torch.uint8: (0, 255), torch.int16: (-32768, 32767), torch.int32: (-2**31, 2**31 - 1)}
    x = torch.tensor([-3.0, -0.26, -0.25, 0.0, 0.125, 0.374, 0.376, 1.0, 2.5, 99.0, -99.0, float("inf"), -float("inf")])
    for to, (low, high) in limits.items():
        for dtype in (F32, F16, BF16):
            a = x.to(dtype)[:11 if to == torch.int32 else 13]
            call(name("quantize_per_tensor"), quantized.quantize_per_tensor.default, a, 0.25, 3, low, high, to)
            call(name("quantize_per_tensor", "Tensor_out"), quantized.quantize_per_tensor.tensor, a, torch.tensor([0.3]), torch.tensor([1]), low, high, to)
        g = torch.randint(max(low, -1000), min(high, 1000), (3, 4), dtype=to)
        for out in (None, F32, F16, F64):
            call(name("dequantize_per_tensor"), quantized.dequantize_per_tensor.default, g, 0.3, 7, low, high, to, out_dtype=out)
            call(name("dequantize_per_tensor", "Tensor_out"), quantized.dequantize_per_tensor.tensor, g, torch.tensor(0.3), torch.tensor(7), low, high, to,
                 out_dtype=out)
        for axis in (0, 1, -1):
            n = g.shape[axis]
            scales, zeros = torch.rand(n) + 0.1, torch.randint(-3, 4, (n,))
            call(name("quantize_per_channel"), quantized.quantize_per_channel, torch.randn(3, 4) * 9, scales, zeros, axis, low, high, to)
            call(name("dequantize_per_channel"), quantized.dequantize_per_channel, g, scales, zeros, axis, low, high, to)
            call(name("dequantize_per_channel"), quantized.dequantize_per_channel, g, scales, None, axis, low, high, to)
    for dtype in (F32, F16):
        a = (torch.randn(2, 3, 8) * 5).to(dtype)
        call(name("choose_qparams_per_token_asymmetric"), quantized.choose_qparams_per_token_asymmetric, a, torch.int8)
        scale, zero = quantized.choose_qparams_per_token_asymmetric(a, torch.int8)
        call(name("quantize_per_token"), quantized.quantize_per_token, a, scale.float(), zero, -128, 127, torch.int8)
        q = quantized.quantize_per_token(a, scale.float(), zero, -128, 127, torch.int8)
        call(name("dequantize_per_token"), quantized.dequantize_per_token, q, scale.float(), zero, -128, 127, torch.int8, dtype)
    for a in (torch.randn(5, 3) * 4, torch.rand(4) + 1, -torch.rand(4), torch.zeros(3)):
        for to in (torch.int8, torch.uint8):
            low, high = limits[to]
            call(name("choose_qparams", "Tensor_out"), quantized.choose_qparams.tensor, a, low, high, 1e-5, to)
    index = torch.tensor([[0, 2], [1, 1]])
    for bits, op in ((8, "embedding_byte"), (4, "embedding_4bit"), (2, "embedding_2bit")):
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        weights = [torch.randint(0, 256, (3, 8), dtype=torch.uint8)] + ([torch.randint(-128, 128, (3, 8), dtype=torch.int8)] if bits == 8 else [])
        for w in weights:
            for dtype in (F32, F16):
                for groups in ((3,), (3, 1), (3, 4)):
                    scales, zeros = torch.rand(groups).to(dtype), torch.randint(-2, 3, groups).to(dtype)
                    for z in (None, zeros):
                        call(name(op), getattr(quantized, op).default, w, scales, z, low, high, index)
                        call(name(op, "dtype_out"), getattr(quantized, op).dtype, w, scales, z, low, high, index, dtype=F32)
    # These have no kernel for the host: what their sources say.
    def add(a, a_scale, a_zero, _, __, b, b_scale, b_zero, ___, ____, scale, zero, low, high):
        total = (a.int() - a_zero).float() * a_scale + (b.int() - b_zero).float() * b_scale
        return ((total * (1 / scale)).round() + zero).clamp(low, high).to(a.dtype)

    def mixed_mm(m, w, scales, _):
        return (m.double() @ (w.double() * scales.double()[:, None])).to(m.dtype)

    def mixed_linear(m, w, scales, _, dtype=None):
        scales = scales.double() if scales.dim() == 2 else scales.double()[:, None]
        return (m.double() @ (w.double() * scales.repeat_interleave(w.shape[1] // scales.shape[1], 1)).t()).to(dtype or m.dtype)

    a, b = (torch.randint(0, 256, (3, 5), dtype=torch.uint8) for _ in range(2))
    call(name("add"), add, a, 0.125, 3, 0, 255, b, 0.25, 9, 0, 255, 0.5, 1, 0, 255)
    for dtype in (F32, F16):
        m, w = torch.randn(3, 6).to(dtype), torch.randint(-128, 128, (6, 4), dtype=torch.int8)
        call(name("mixed_mm"), mixed_mm, m, w, torch.rand(6).to(dtype), None)
        w = torch.randint(-128, 128, (4, 6), dtype=torch.int8)
        for groups in ((4,), (4, 2), (4, 3)):
            call(name("mixed_linear"), mixed_linear, m, w, torch.rand(groups).to(dtype), None)
            call(name("mixed_linear"), mixed_linear, m, w, torch.rand(groups).to(dtype), None, dtype=F32)
    call("et_copy::_h2d_copy", lambda t: t.clone(), torch.randn(2, 3))
    call("et_copy::_d2h_copy", lambda t: t.clone(), torch.randn(2, 3, dtype=F16))


def others():
    """What fuzz.py does not draw: names that PyTorch lacks, operators where it dies of hostile arguments or has no kernel."""
    x = torch.randn(2, 3)
    for dtype in (None, F16, torch.int32):
        call("dim_order_ops::_to_dim_order_copy", lambda t, dtype, dim_order: t.to(dtype or t.dtype), x, dtype=dtype, dim_order=[0, 1])
    call("dim_order_ops::_clone_dim_order", lambda t, dim_order: t.clone(), x, dim_order=[0, 1])
    row = {"op": "dim_order_ops::_empty_dim_order", "args": [encode([2, 3])], "kwargs": {"dtype": encode(F16)}, "out": {"list": [None]}}
    CALLS.append(row)
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8):
        a, b = torch.tensor([0, 4, 6, 7, 100, 12], dtype=dtype), torch.tensor([5, 6, 0, 7, 20, -18 if dtype != torch.uint8 else 18], dtype=dtype)
        call("aten::lcm", torch.lcm, a, b)
    aten = torch.ops.aten
    for dtype in (F32, F64, F16, BF16):
        image, weight, bias = torch.randn(2, 3, 4).to(dtype), torch.rand(3).to(dtype), torch.randn(3).to(dtype)
        mean, var = torch.randn(3).to(dtype), torch.rand(3).to(dtype)
        for w, b in ((weight, bias), (None, None)):
            call("aten::native_batch_norm", aten.native_batch_norm, image, w, b, mean, var, False, 0.1, 1e-5)
            call("aten::_batch_norm_no_update", aten._batch_norm_no_update, image, w, b, mean, var, 0.1, 1e-5)
            call("aten::_native_batch_norm_legit.no_stats", aten._native_batch_norm_legit.no_stats, image, w, b, True, 0.1, 1e-5)
    a, b = torch.randn(3, 4).to(F16), torch.randn(4, 2).to(F16)
    call("aten::mm.dtype", lambda a, b, d: (a.double() @ b.double()).to(d), a, b, F32)
    call("aten::bmm.dtype", lambda a, b, d: (a.double() @ b.double()).to(d), a[None], b[None], F32)


class Cache(torch.nn.Module):
    """A layer of attention as ExecuTorch's language models have it."""

    def __init__(self, together):
        super().__init__()
        self.together = together
        self.proj = torch.nn.Linear(16, 48)
        self.register_buffer("keys", torch.zeros(1, 8, 2, 8))
        self.register_buffer("values", torch.zeros(1, 8, 2, 8))

    def forward(self, x, position):
        start = position[0].item()
        torch._check(start >= 0)
        torch._check(start < 8)
        q, k, v = (t.view(1, x.shape[1], 2, 8) for t in self.proj(x).chunk(3, -1))
        if self.together:
            return llama.sdpa_with_kv_cache(q, k, v, self.keys, self.values, start, x.shape[1], None, 0.0, True)
        llama.update_cache(k, self.keys, start)
        llama.update_cache(v, self.values, start)
        return llama.custom_sdpa(q, self.keys, self.values, start, None, 0.0, True)


class Indexed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 6, 1, 4))

    def forward(self, x, indices):
        llama.update_cache_with_indices(x, self.keys, 0, indices)
        return self.keys * 2


class Embedding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(0, 256, (5, 4), dtype=torch.uint8))
        self.register_buffer("scales", torch.rand(5, 2))

    def forward(self, indices):
        x = quantized.embedding_4bit.dtype(self.weight, self.scales, None, -8, 7, indices, dtype=F32)
        scale, zero = quantized.choose_qparams.tensor(x, -128, 127, 1e-5, torch.int8)
        q = quantized.quantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8)
        return llama.fast_hadamard_transform(quantized.dequantize_per_tensor.tensor(q, scale, zero, -128, 127, torch.int8))


def programs():
    def decode(start, rows):
        return torch.randn(1, rows, 16), torch.tensor([start])

    steps = [decode(i, 1) for i in range(8)]
    prefill = [decode(0, 3), decode(3, 3), decode(5, 3)]
    cases = {"cache_step": (Cache(True), steps), "cache_prefill": (Cache(True), prefill), "cache_apart": (Cache(False), steps),
             "cache_indexed": (Indexed(), [(torch.randn(1, 2, 1, 4), torch.tensor([i])) for i in ([0, 1], [5, 2], [3, 4])]),
             "embedding": (Embedding(), [(torch.tensor([[0, 4, 2]]),), (torch.tensor([[1, 1, 3]]),)])}
    tensors = {}
    for name, (module, calls) in cases.items():
        exported = torch.export.export(module, calls[0], strict=False)
        edge = to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))
        with open(f"{name}.pte", "wb") as f:
            f.write(edge.to_executorch().buffer)
        for i, args in enumerate(calls):
            with torch.no_grad():
                out = module(*args)
            for k, t in enumerate(args):
                tensors[f"{name}/{i}/input{k}"] = t.clone()
            tensors[f"{name}/{i}/output0"] = out.clone().contiguous()
    save_file(tensors, "tensors.safetensors")


if __name__ == "__main__":
    torch.manual_seed(0)
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    attention()
    quantization()
    others()
    with open("operators.jsonl", "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in CALLS)
    save_file(CALL_TENSORS, "operators.safetensors")
    programs()
    print(f"{len(CALLS)} calls")
