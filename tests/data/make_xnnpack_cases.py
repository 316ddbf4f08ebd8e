"""Small programs that ExecuTorch lowers to its XNNPACK backend, with PyTorch's results: tests/data/xnnpack.

    python make_xnnpack_cases.py        (torch 2.14.1, executorch 1.5.1)

Writes NAME.pte and tensors.safetensors with NAME/CALL/input0, ..., NAME/CALL/output0: several calls, in turn, of programs
whose sizes vary. Prints what was left outside of the delegates.
"""
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.export import Dim, export

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "xnnpack")


class Fn(nn.Module):
    def __init__(self, fn, **parameters):
        super().__init__()
        self.fn = fn
        for name, p in parameters.items():
            setattr(self, name, p if isinstance(p, nn.Module) else nn.Parameter(p))

    def forward(self, *args):
        return self.fn(self, *args)


def fn(f, **parameters):
    return Fn(lambda self, *a: f(*a), **parameters)


def randn(*sizes):
    return torch.randn(*sizes)


def spread(*sizes):
    """Both signs and values on the corners of activations."""
    x = torch.randn(*sizes) * 3
    x.view(-1)[:7] = torch.tensor([0.0, -0.0, 3.0, -3.0, 6.0, 0.5, -1e-3])
    return x


class Pair(nn.Module):
    """Two partitions with something between that XNNPACK does not have."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 5), nn.Linear(5, 4)

    def forward(self, x):
        return self.b(torch.cumsum(self.a(x), 1)).relu()


class Block(nn.Module):
    """An inverted residual, a pool and a classifier."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 2, 1)
        self.expand = nn.Sequential(nn.Conv2d(8, 24, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU6())
        self.depth = nn.Sequential(nn.Conv2d(24, 24, 3, 1, 1, groups=24, bias=False), nn.BatchNorm2d(24), nn.Hardswish())
        self.project = nn.Conv2d(24, 8, 1)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        x = self.stem(x).relu()
        x = x + self.project(self.depth(self.expand(x)))
        return self.head(x.mean((2, 3)))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (y.reshape(b, t, 2, 8).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        w = torch.softmax(q @ k.transpose(-1, -2) * 8 ** -0.5, -1)
        return self.out((w @ v).transpose(1, 2).reshape(b, t, 16))


def cases():
    """Name, module, calls (tuples of inputs; the first is exported with), dynamic shapes."""
    image = randn(1, 6, 9, 11)
    yield "conv", nn.Conv2d(6, 7, 3, padding=1), [(image,)], None
    yield "conv_no_bias_relu", nn.Sequential(nn.Conv2d(6, 20, (3, 2), (2, 1), (0, 1), bias=False), nn.ReLU()), [(image,)], None
    yield "conv_dilated_groups", nn.Sequential(nn.Conv2d(6, 8, 3, padding=2, dilation=2, groups=2), nn.ReLU6()), [(image,)], None
    yield "conv_depthwise", nn.Conv2d(6, 6, 5, 2, 2, groups=6), [(image,)], None
    yield "conv_depthwise_multiplier", nn.Conv2d(6, 18, 3, 1, 1, groups=6), [(image,)], None
    yield "conv_pointwise_batch", nn.Conv2d(17, 33, 1, stride=2), [(randn(3, 17, 5, 4),)], None
    yield "channels_last", fn(lambda x: x * 2 + 1), [(image.to(memory_format=torch.channels_last),)], None
    yield "conv_to_channels_last", Fn(lambda s, x: s.conv(x.to(memory_format=torch.channels_last)).relu(), conv=nn.Conv2d(6, 7, 3, padding=1)), [(image,)], None
    yield "conv1d", nn.Conv1d(5, 6, 3, padding=1), [(randn(2, 5, 13),)], None
    yield "conv_transposed", nn.ConvTranspose2d(6, 5, 3, 2, 1, 1), [(image,)], None
    yield "conv_transposed_groups", nn.Sequential(nn.ConvTranspose2d(6, 4, 2, 2, groups=2, bias=False), nn.ReLU()), [(image,)], None
    yield "linear", nn.Linear(13, 9), [(randn(4, 13),)], None
    yield "linear_rank_3", nn.Sequential(nn.Linear(8, 33, bias=False), nn.ReLU()), [(randn(2, 3, 8),)], None
    yield "linear_rank_1", nn.Linear(8, 3), [(randn(8),)], None
    yield "matmul", fn(lambda a, b: a @ b), [(randn(2, 5, 7), randn(2, 7, 3))], None
    yield "matmul_transposed", fn(lambda a, b: a @ b.transpose(1, 2)), [(randn(2, 5, 7), randn(2, 3, 7))], None
    yield "addmm_of_inputs", fn(lambda c, a, b: torch.addmm(c, a, b)), [(randn(3), randn(5, 7), randn(7, 3))], None
    yield "arithmetic", fn(lambda x, y: (x + y, x - y, x * y, x / (y.abs() + 1), torch.minimum(x, y), torch.maximum(x, y))), [(spread(3, 8), spread(3, 8))], None
    yield "arithmetic_broadcast", fn(lambda x, y: (x + y, y - x, x * y, torch.maximum(x, y))), [(randn(2, 1, 8), randn(3, 1))], None
    yield "arithmetic_images", Fn(lambda s, x: s.conv(x) * s.scale + x, conv=nn.Conv2d(6, 6, 1), scale=randn(6, 1, 1)), [(image,)], None
    for name, f in {
        "abs": torch.abs, "ceil": torch.ceil, "floor": torch.floor, "neg": torch.neg, "square": lambda x: x.pow(2), "sigmoid": torch.sigmoid,
        "tanh": torch.tanh, "exp": torch.exp, "gelu": F.gelu, "hardswish": F.hardswish, "relu": torch.relu, "relu6": F.relu6, "sin": torch.sin,
        "cos": torch.cos, "elu": lambda x: F.elu(x, 0.7), "leaky_relu": lambda x: F.leaky_relu(x, 0.2), "hardtanh": lambda x: F.hardtanh(x, -0.5, 1.5),
        "clamp": lambda x: x.clamp(-1.25, 2.0), "softmax": lambda x: x.softmax(-1), "hardsigmoid": F.hardsigmoid, "silu": F.silu,
    }.items():
        yield name, fn(f), [(spread(3, 21),)], None
    for name, f in {"sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "log": torch.log}.items():
        yield name, fn(f), [(randn(3, 21).abs() + 0.1,)], None
    yield "prelu", nn.Sequential(nn.Conv2d(6, 6, 1), nn.PReLU(6, 0.3)), [(image,)], None
    yield "avg_pool", nn.AvgPool2d(3, 2, 1, count_include_pad=False), [(image,)], None
    yield "avg_pool_plain", nn.AvgPool2d((2, 3)), [(image,)], None
    yield "max_pool", nn.MaxPool2d(3, 2, 1), [(image,)], None
    yield "max_pool_dilated", nn.MaxPool2d(2, 1, 0, 2), [(image,)], None
    yield "max_pool_ceil", nn.MaxPool2d(2, 2, ceil_mode=True), [(image,)], None
    yield "global_mean", fn(lambda x: x.mean((2, 3), keepdim=True)), [(image,)], None
    yield "global_mean_flat", nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 3)), [(image,)], None
    yield "max_dim", fn(lambda x: x.amax(-1)), [(randn(3, 7),)], None
    yield "bilinear", nn.Sequential(nn.Conv2d(6, 2, 1), nn.UpsamplingBilinear2d(scale_factor=2)), [(image,)], None
    yield "bilinear_half_pixels", fn(lambda x: F.interpolate(x, size=(5, 17), mode="bilinear", align_corners=False)), [(image,)], None
    yield "cat", fn(lambda a, b, c, d, e: (torch.cat([a, b]), torch.cat([a, b, c], -1), torch.cat([a, b, c, d], 1), torch.cat([a, b, c, d, e]))), [tuple(randn(2, 3) for _ in range(5))], None
    yield "cat_of_convolutions", Fn(lambda s, x: torch.cat([s.a(x), s.b(x), x], 1), a=nn.Conv2d(6, 3, 1), b=nn.Conv2d(6, 5, 3, padding=1)), [(image,)], None
    yield "slices", fn(lambda x: (x[:, 1:3] + 1, x[1:, :, 2:] * 2)), [(randn(3, 4, 5),)], None
    yield "permute", fn(lambda x: (x.permute(2, 0, 1) + 1).transpose(0, 1) * 2), [(randn(3, 4, 5),)], None
    yield "permute_only", fn(lambda x: x.permute(1, 0).contiguous()), [(randn(3, 4),)], None
    yield "reshape", fn(lambda x: (x.transpose(0, 1).reshape(4, 15) + 1).view(2, 30).squeeze().unsqueeze(0)), [(randn(3, 4, 5),)], None
    yield "pad", fn(lambda x: F.pad(x, (1, 2, 0, 3), value=-1.5) + 1), [(randn(2, 3, 4),)], None
    yield "pad_conv", nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(6, 4, 3, 2)), [(image,)], None
    yield "batch_norm", nn.Sequential(nn.BatchNorm2d(6), nn.ReLU()), [(image,)], None
    yield "layer_norm", nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8)), [(randn(2, 3, 8),)], None
    yield "attention", Attention(), [(randn(2, 5, 16),)], None
    yield "scaled_dot_product", fn(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m)), [(randn(1, 2, 3, 8), randn(1, 2, 5, 8), randn(1, 2, 5, 8), randn(3, 5))], None
    yield "two_partitions", Pair(), [(randn(3, 6),)], None
    yield "block", Block(), [(randn(2, 3, 16, 14),)], None
    yield "half", nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 4)).half(), [(randn(3, 8).half(),)], None
    yield "half_conv", nn.Sequential(nn.Conv2d(6, 8, 3, padding=1), nn.ReLU6(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, groups=8)).half(), [(image.half(),)], None
    yield "half_elementwise", fn(lambda x, y: (x + y) * x.sigmoid()), [(spread(3, 9).half(), randn(3, 9).half())], None
    yield "same_twice", fn(lambda x: ((y := x + 1), y * 2, y)), [(randn(3, 4),)], None
    sizes = [4, 1, 7, 8, 2]
    yield "dynamic_batch", Block(), [(randn(n, 3, 16, 14),) for n in sizes], ({0: Dim("n", min=1, max=8)},)
    yield "dynamic_image", nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 2, 1)), [(randn(1, 3, h, w),) for h, w in ((32, 24), (8, 8), (9, 31), (32, 32))], ({2: Dim("h", min=8, max=32), 3: Dim("w", min=8, max=32)},)
    yield "dynamic_linear", nn.Sequential(nn.Linear(6, 5), nn.Softmax(-1)), [(randn(n, 6),) for n in sizes], ({0: Dim("n", min=1, max=8)},)
    yield "dynamic_attention", Attention(), [(randn(1, n, 16),) for n in sizes[:4] + [6]], ({1: Dim("t", min=1, max=8)},)
    yield "dynamic_cat", fn(lambda x, y: torch.cat([x * 2, y], 0) + 1), [(randn(n, 3), randn(2, 3)) for n in sizes], (({0: Dim("n", min=1, max=8)}, None),)


def left_outside(program):
    """Delegate calls, and the operators that were left outside of them."""
    targets = [str(n.target) for n in program.exported_program().graph_module.graph.nodes if n.op == "call_function"]
    calls = [t for t in targets if "call_delegate" in t]
    return len(calls), sorted({t.split(":")[1].strip(" >") if ":" in t else t for t in targets if t not in calls and "getitem" not in t})


def main():
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower
    from safetensors.torch import save_file

    os.makedirs(OUT, exist_ok=True)
    torch.manual_seed(0)
    tensors = {}
    for name, module, calls, dynamic in cases():
        module = module.eval()
        for p in module.modules():
            if isinstance(p, nn.BatchNorm2d):
                p.running_mean.normal_()
                p.running_var.uniform_(0.5, 2)
        try:
            with torch.no_grad():
                edge = to_edge_transform_and_lower(export(module, calls[0], dynamic_shapes=dynamic), partitioner=[XnnpackPartitioner()])
                count, outside = left_outside(edge)
                data = edge.to_executorch().buffer
        except Exception as e:  # noqa: BLE001
            print(f"{name}: not lowered: {type(e).__name__} {str(e)[:200]}")
            continue
        print(f"{name}: {len(data)} bytes, {count} delegates; outside: {outside}")
        if count == 0:
            continue
        with open(os.path.join(OUT, name + ".pte"), "wb") as f:
            f.write(data)
        for i, args in enumerate(calls):
            with torch.no_grad():
                out = module(*args)
            for k, t in enumerate(args):
                tensors[f"{name}/{i}/input{k}"] = t.contiguous()  # Module puts it in the order that the program wants
            for k, t in enumerate(out if isinstance(out, tuple) else (out,)):
                tensors[f"{name}/{i}/output{k}"] = t.contiguous().clone()
    save_file({k: v.clone() for k, v in tensors.items()}, os.path.join(OUT, "tensors.safetensors"))


if __name__ == "__main__":
    sys.exit(main())
