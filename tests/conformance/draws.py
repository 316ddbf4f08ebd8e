"""Draws arguments for ATen overloads from their schemas: a rule for each kind of argument, keyed by name and type, and families of
operators whose arguments depend on each other. Most draws are legal; those that PyTorch refuses are for the caller to sort out."""
import random
import re

import torch

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
COMPLEX = [torch.complex64, torch.complex128]
DTYPES = FLOATS + INTS + [torch.bool] + COMPLEX
MAX_NUMEL = 2048
INF, NAN = float("inf"), float("nan")
WORDS = {
    "rounding_mode": [None, "floor", "trunc"], "approximate": ["none", "tanh"], "UPLO": ["L", "U"], "side": ["left", "right", None], "driver": [None],
    "index_reduce": ["prod", "mean", "amax", "amin"], "scatter_reduce": ["sum", "prod", "mean", "amax", "amin"], "scatter": ["add", "multiply"],
    "segment_reduce": ["sum", "mean", "max", "min", "prod"], "mode": ["reduced", "complete", "r"],
    "p": ["fro", "nuc"], "ord": ["fro", "nuc"],
}

# Values that are not drawn, because PyTorch's own answer depends on the order or the instructions it happens to use.
NO_INFINITIES = re.compile(r"gelu|mode|unique_dim|binary_cross_entropy_with_logits|special_bessel_y1|(native_|layer_|group_|instance_|batch_|rms_|_fused).*norm.*|conv.*|linear|bilinear|.*attention.*|cosine.*|.*pinv.*|_native_batch_norm.*|_batch_norm.*|_weight_norm.*|_fft_.*|convolution.*|.*linalg.*|_trilinear|_cdist_forward.*|upsample.*|_upsample.*|grid_sampler.*")  # inf - inf or inf * 0, or not
LARGEST = re.compile(r"(eq|ne|lt|le|gt|ge|isfinite|isinf|isnan|isposinf|isneginf|abs|neg|sign|sgn|signbit|relu|clamp.*|maximum|minimum|fmax|fmin|max|min|amax|amin|aminmax|sort|argmax|argmin"
                     r"|topk|nan_to_num|nextafter|frexp|floor|ceil|trunc|round|logical_.*|where|clone|_to_copy|copy|copysign|hardtanh|threshold|cummax|cummin|reciprocal|rsqrt|sqrt|log.*)(\..*)?")

NO_TINY = re.compile(r"fmod|remainder|floor_divide|div|ldexp")  # quotients beyond the integers of the dtype
NOT_EXPANDED = re.compile(r"(nan)?median|mode|kthvalue")  # PyTorch reads the wrong elements of an expanded operand


class Draw:
    """One draw: a source of random choices with a dtype, a rank and a kind of values that its tensors share."""

    def __init__(self, seed, schema, dtype):
        self.r = random.Random(seed)
        self.g = torch.Generator().manual_seed(seed & 0x7fffffff)
        self.schema, self.dtype = schema, dtype
        self.name = schema.name.split("::")[1]
        self.kind = self.r.choices(["normal", "integers", "unit", "special", "wide"], [40, 25, 15, 12, 8])[0]
        if self.kind == "special" and NO_INFINITIES.fullmatch(self.name): self.kind = "normal"
        self.rank = self.r.choices([0, 1, 2, 3, 4, 5], [8, 22, 28, 20, 14, 8])[0]
        self.shape = self.sizes(self.rank)

    def chance(self, percent):
        return self.r.randrange(100) < percent

    def pick(self, *choices):
        return self.r.choice(choices)

    def between(self, low, high):
        return self.r.randint(low, max(low, high))

    def size(self, largest=9):
        if self.chance(4): return 0
        if self.chance(12): return 1
        return self.between(1, min(largest, 9)) if self.chance(85) else self.r.choice([s for s in (8, 15, 16, 17, 31, 32, 33, 64, 65, 100) if s <= max(largest, 8)])

    def sizes(self, rank, largest=100):
        shape = [self.size(largest) for _ in range(rank)]
        while torch.Size(shape).numel() > MAX_NUMEL:
            shape[shape.index(max(shape))] //= 2
        return shape

    def values(self, shape, dtype, kind=None, infinities=True):
        """`infinities`: not in complex numbers, whose products of them PyTorch computes in two ways."""
        shape, kind = list(shape), kind or self.kind
        if dtype == torch.bool: return torch.rand(shape, generator=self.g) < 0.5
        if dtype.is_complex:
            part = dtype.to_real()
            return torch.complex(self.values(shape, part, kind, False), self.values(shape, part, kind, False))
        if not dtype.is_floating_point:
            info = torch.iinfo(dtype)
            if kind == "wide": return torch.randint(info.min, info.max, shape, generator=self.g, dtype=dtype)
            t = torch.randint(max(info.min, -9), 10, shape, generator=self.g, dtype=dtype)
            return self.sprinkle(t, [info.min, info.max]) if kind == "special" else t
        real = torch.float64 if dtype == torch.float64 else torch.float32
        if kind == "integers": t = torch.randint(-9, 10, shape, generator=self.g).to(real)
        elif kind == "unit": t = torch.rand(shape, generator=self.g, dtype=real)
        else: t = torch.randn(shape, generator=self.g, dtype=real) * (30 if kind == "wide" else 1.5)
        t = t.to(dtype)
        info = torch.finfo(dtype)
        if kind != "special": return t
        odd = [-0.0, 0.0, 1.0, 100.0] + ([INF, -INF, NAN] if infinities else []) + ([info.tiny, info.tiny / 4] if infinities and not NO_TINY.fullmatch(self.name) else [])
        return self.sprinkle(t, odd + ([info.max] if LARGEST.fullmatch(self.name) else []))

    def sprinkle(self, t, odd):
        flat = t.reshape(-1)
        for _ in range(self.between(1, 4)):
            if flat.numel(): flat[self.r.randrange(flat.numel())] = self.r.choice(odd)
        return flat.reshape(t.shape)

    def tensor(self, shape, dtype=None, kind=None, layout=True):
        t = self.values(shape, dtype or self.dtype, kind)
        return self.laid_out(t) if layout and t.dim() and self.chance(30) else t

    def laid_out(self, t, *ways):
        """The same elements in another order, with gaps between them, or repeated."""
        usual = ("permuted", "gaps", "channels_last") + (() if NOT_EXPANDED.fullmatch(self.name) else ("expanded",))
        how = self.pick(*(ways or usual))
        if how == "permuted":
            order = self.r.sample(range(t.dim()), t.dim())
            return t.permute(order).contiguous().permute([order.index(d) for d in range(t.dim())])
        if how == "gaps":
            return torch.stack([t, t], -1)[..., 0]
        if how == "expanded":
            d = self.r.randrange(t.dim())
            return t.narrow(d, 0, 1).expand(t.shape) if t.shape[d] else t
        return t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t.contiguous(memory_format=torch.channels_last_3d) if t.dim() == 5 else t

    def broadcast(self, shape):
        """A shape that broadcasts with `shape`."""
        if self.chance(55): return list(shape)
        out = [1 if self.chance(25) else s for s in shape]
        return out[self.between(0, len(out)):] if self.chance(40) else out

    def other_dtype(self):
        return self.dtype if self.chance(75) else self.r.choice(DTYPES[:10])

    def dim(self, rank=None):
        rank = self.rank if rank is None else rank
        if self.chance(2): return rank + 1
        return self.between(-max(rank, 1), max(rank, 1) - 1)

    def axis(self, rank=None):
        """A legal dimension."""
        rank = self.rank if rank is None else rank
        return self.between(-max(rank, 1), max(rank, 1) - 1)

    def dims(self, rank=None, least=0):
        rank = self.rank if rank is None else rank
        some = self.r.sample(range(rank), self.between(min(least, rank), rank))
        return [d - rank if self.chance(30) else d for d in some]

    def scalar(self, dtype=None):
        dtype = dtype or self.dtype
        what = self.r.choices(["int", "float", "bool", "odd"], [45, 40 if dtype.is_floating_point or dtype.is_complex else 12, 8, 4 if dtype.is_floating_point else 0 if dtype.is_complex else 1])[0]
        if what == "int": return self.between(-5, 9)
        if what == "float": return self.r.choice([0.5, -1.5, 2.0, 0.1, 3.75, -0.25, 1.0, 0.0, self.r.uniform(-4, 4)])
        return self.chance(50) if what == "bool" else self.pick(INF, -INF, NAN, -0.0, 1e30)

    def index(self, shape, extent, negative=True, dtype=None, layout=True):
        low = -extent if negative and self.chance(30) else 0
        t = torch.randint(low, max(extent, low + 1), list(shape), generator=self.g, dtype=torch.int64).to(dtype or torch.int64)
        return self.laid_out(t) if layout and t.dim() and self.chance(20) else t

    def argument(self, arg, first):
        """By name and type alone. `first`: no tensor has been drawn yet."""
        kind = str(arg.type)
        optional = kind.startswith("Optional[")
        if optional:
            kind = kind[9:-1]
            if self.chance(40): return None
        name = arg.name
        if kind == "Tensor":
            if name in ("mask", "condition"): return self.tensor(self.broadcast(self.shape), torch.bool)
            if first: return self.tensor(self.shape if self.name in ("sgn",) else self.shape)
            return self.tensor(self.broadcast(self.shape), self.other_dtype())
        if kind in ("List[Tensor]",): return [self.tensor(self.shape) for _ in range(self.between(1, 4))]
        if kind in ("int", "SymInt"):
            if name.startswith("dim") or name == "axis": return self.dim()
            if name == "reduction": return self.between(0, 2)
            if name in ("dtype", "out_dtype", "input_dtype"): return self.dtype_argument()
            if name == "memory_format": return self.pick(torch.contiguous_format, torch.preserve_format, *([torch.channels_last] if self.rank == 4 else []))
            if name in ("layout", "device"): return None
            if name == "decimals": return self.between(-2, 4)
            return self.between(-4, 4)
        if kind in ("ScalarType",): return self.dtype_argument()
        if kind in ("MemoryFormat",): return self.pick(torch.contiguous_format, torch.preserve_format, *([torch.channels_last] if self.rank == 4 else []))
        if kind in ("Layout", "Device"): return None
        if kind.startswith("List[int]") or kind.startswith("List[SymInt]"):
            if name in ("size", "sizes"): return self.sizes(self.between(0, 4))
            if name in ("dim", "dims"): return self.dims()
            return [self.between(-3, 3) for _ in range(self.rank)]
        if kind == "List[float]": return [self.r.uniform(0.5, 2) for _ in range(2)]
        if kind == "List[bool]": return [self.chance(70) for _ in range(3)]
        if kind in ("number", "Scalar"): return 1 if name == "alpha" and self.chance(40) else self.scalar()
        if kind == "float": return 1e-5 if name == "eps" else self.r.choice([0.5, 1.0, 2.0, 0.1, self.r.uniform(0, 3)])
        if kind == "bool": return False if name in ("pin_memory", "non_blocking", "sparse", "check_errors", "implicit") else self.chance(50)
        if kind == "str":
            words = WORDS.get(name) or WORDS.get(self.name) or ["none"]
            word = self.r.choice(words)
            return word if word is not None or optional else words[1]
        raise TypeError(f"{kind} {name}")

    def dtype_argument(self):
        return self.r.choice(DTYPES if self.chance(20) else DTYPES[:10])

    def arguments(self):
        """All arguments by name, from the family's rule and, where that has none, from the argument's own."""
        given = {}
        for pattern, rule in FAMILIES:
            if pattern.fullmatch(self.name) or pattern.fullmatch(self.name + "." + self.schema.overload_name):
                given = rule(self) or {}
                break
        out, first = {}, True
        for arg in self.schema.arguments:
            if arg.name in given: out[arg.name] = given[arg.name]
            elif arg.has_default_value() and self.chance(35): continue
            else: out[arg.name] = self.argument(arg, first)
            if str(arg.type) == "Tensor": first = False
        return out


FAMILIES = []


def family(pattern):
    def add(rule):
        FAMILIES.append((re.compile(pattern), rule))
        return rule
    return add


def window(d, n, spatial, dilated=True, lists=True):
    """Kernel, stride, padding, dilation that fit `spatial`."""
    dilation = [d.pick(1, 1, 1, 2) for _ in range(n)] if dilated else [1] * n
    kernel = [d.between(1, max(1, min(4, (s + 1) // l))) for s, l in zip(spatial, dilation)]
    padding = [d.between(0, k // 2) if d.chance(50) else 0 for k in kernel]
    stride = [d.between(1, 3) for _ in range(n)]
    if lists and d.chance(15): kernel, stride, padding, dilation = kernel[:1], stride[:1], padding[:1], dilation[:1]
    return kernel, stride, padding, dilation


def image(d, n, least=1, batch=None):
    """Sizes of [N,] C, spatial..."""
    spatial = [d.between(least, 9 if n < 3 else 6) if d.chance(90) else d.between(least, 17 if n < 3 else 7) for _ in range(n)]
    lead = [d.between(1, 3), d.between(1, 5)] if batch or (batch is None and d.chance(70)) else [d.between(1, 5)]
    if d.chance(2): lead[0] = 0
    return lead + spatial


def dimensions(d):
    return int(re.search(r"([123])d", d.name).group(1))


@family(r"avg_pool\dd|max_pool\dd|max_pool\d?d_with_indices|avg_pool\dd_backward|max_pool\dd_with_indices_backward")
def pooling(d):
    n = dimensions(d)
    shape = image(d, n)
    kernel, stride, padding, dilation = window(d, n, shape[-n:], "max" in d.name, "backward" not in d.name)
    a = {"self": d.tensor(shape), "kernel_size": kernel, "padding": padding, "dilation": dilation, "ceil_mode": d.chance(40),
         "stride": stride if d.chance(80) else [], "count_include_pad": d.chance(50), "divisor_override": None if d.chance(70) else d.between(1, 9)}
    if d.chance(15) and "backward" not in d.name: a.pop("dilation"), a.pop("padding")
    if "backward" in d.name:
        if "max" in d.name:
            out, a["indices"] = getattr(torch.ops.aten, f"max_pool{n}d_with_indices")(a["self"], kernel, a["stride"], padding, dilation, a["ceil_mode"])
        else:
            out = getattr(torch.ops.aten, f"avg_pool{n}d")(a["self"], kernel, a["stride"], padding, a["ceil_mode"], a["count_include_pad"], a["divisor_override"])
        a["grad_output"] = d.tensor(out.shape)
    return a


@family(r"_?adaptive_(avg|max)_pool\dd(_backward)?")
def adaptive(d):
    n = dimensions(d)
    shape = image(d, n)
    out = [d.between(1, 6) for _ in range(n)]
    lead = shape[:-n]
    return {"self": d.tensor(shape), "output_size": out if d.chance(85) else out[:1], "grad_output": d.tensor(lead + out)}


@family(r"fractional_max_pool\dd")
def fractional(d):
    n = dimensions(d)
    shape = image(d, n, 3)
    out = [d.between(1, s - 1) for s in shape[-n:]]
    kernel = [d.between(1, s - o + 1) for s, o in zip(shape[-n:], out)]
    batch = shape[0] if len(shape) == n + 2 else 1
    return {"self": d.tensor(shape), "kernel_size": kernel, "output_size": out, "random_samples": d.tensor([batch, shape[-n - 1], n], kind="unit")}


@family(r"max_unpool\dd")
def unpool(d):
    n = dimensions(d)
    shape = image(d, n)
    out = [s * 2 + d.between(0, 1) for s in shape[-n:]]
    plane = torch.Size(out).numel()
    return {"self": d.tensor(shape), "indices": d.index(shape, plane, False), "output_size": out, "stride": [2] * n, "padding": [0] * n}


@family(r"convolution(_backward)?")
def convolution(d):
    n = d.pick(1, 2, 2, 2, 3)
    groups = d.pick(1, 1, 2, 3)
    batch = d.name.endswith("backward") or d.chance(85)
    c_in, c_out = groups * d.between(1, 4), groups * d.between(1, 5)
    spatial = [d.between(1, 9 if n < 3 else 5) for _ in range(n)]
    if d.chance(2): spatial[0] = 0
    kernel, stride, padding, dilation = window(d, n, spatial, True, False)
    transposed = d.chance(35)
    output_padding = [d.between(0, max(0, max(s, l) - 1)) for s, l in zip(stride, dilation)] if transposed else [0] * n
    x = d.tensor(([d.between(1, 3)] if batch else []) + [c_in] + spatial)
    weight = d.tensor(([c_in, c_out // groups] if transposed else [c_out, c_in // groups]) + kernel)
    a = {"input": x, "weight": weight, "bias": d.tensor([c_out]) if d.chance(60) else None, "stride": stride, "padding": padding, "dilation": dilation,
         "transposed": transposed, "output_padding": output_padding, "groups": groups}
    if d.name.endswith("backward"):
        out = torch.ops.aten.convolution(x, weight, None, stride, padding, dilation, transposed, output_padding, groups)
        a.update(grad_output=d.tensor(out.shape), bias_sizes=[c_out] if d.chance(80) else None, output_mask=[d.chance(80), d.chance(80), d.chance(60)])
        if a["bias_sizes"] is None: a["output_mask"][2] = False
    elif d.chance(10):
        for k in ("stride", "padding", "dilation"): a[k] = a[k][:1]
    return a


@family(r"conv(_transpose)?\dd(\.(padding|input))?")
def conv(d):
    """Of one rank, by the operators that the compiler takes apart."""
    n = dimensions(d)
    transposed, named = "transpose" in d.name, d.schema.overload_name == "padding"
    groups = d.pick(1, 1, 2)
    c_in, c_out = groups * d.between(1, 3), groups * d.between(1, 4)
    spatial = [d.between(3, 8 if n < 3 else 5) for _ in range(n)]
    kernel, stride, padding, dilation = window(d, n, spatial, True, d.chance(30))
    kernel = kernel * (n // len(kernel))
    if named: padding = d.pick("same", "valid")
    if padding == "same": stride = [1] * n
    return {"input": d.tensor(([d.between(1, 2)] if d.chance(80) else []) + [c_in] + spatial), "weight": d.tensor(([c_in, c_out // groups] if transposed else [c_out, c_in // groups]) + kernel),
            "bias": d.tensor([c_out]) if d.chance(60) else None, "stride": stride, "padding": padding, "dilation": dilation, "groups": groups, "output_padding": [0] * n}


@family(r"linear|bilinear")
def linear(d):
    lead, i, j, o = d.sizes(d.between(0, 3), 4), d.between(1, 9), d.between(1, 5), d.between(1, 9)
    two = d.name == "bilinear"
    return {"input": d.tensor(lead + [i]), "input1": d.tensor(lead + [i]), "input2": d.tensor(lead + [j]), "weight": d.tensor([o, i] + [j] * two), "bias": d.tensor([o]) if d.chance(60) else None}


@family(r"(layer|rms|group|instance|batch)_norm|_fused_rms_norm")
def norms(d):
    groups = d.between(1, 3)
    c = groups * d.between(1, 3)
    shape = [d.between(1, 3), c] + [d.between(1, 5) for _ in range(d.between(1, 3))]
    k = d.between(1, 2)
    inner = shape[-k:] if d.name in ("layer_norm", "rms_norm", "_fused_rms_norm") else [c]
    training = d.chance(50)
    stats = not training or d.chance(50)
    return {"input": d.tensor(shape), "normalized_shape": inner, "weight": d.tensor(inner) if d.chance(70) else None, "bias": d.tensor(inner) if d.chance(70) else None, "eps": 1e-5,
            "num_groups": groups, "running_mean": d.tensor([c]) if stats else None, "running_var": d.tensor([c], kind="unit") if stats else None, "training": training, "use_input_stats": training,
            "momentum": 0.1}


@family(r"scaled_dot_product_attention|_scaled_dot_product_attention_math")
def sdpa(d):
    b, h, q, k, e = d.between(1, 2), d.between(1, 3), d.between(1, 7), d.between(1, 7), d.pick(1, 2, 4, 8)
    causal = d.chance(40)
    mask = d.tensor([d.pick(1, b), d.pick(1, h), q, k] if d.chance(60) else [q, k], d.pick(d.dtype, torch.bool), "normal") if not causal and d.chance(60) else None
    return {"query": d.tensor([b, h, q, e], kind="normal"), "key": d.tensor([b, h, k, e], kind="normal"), "value": d.tensor([b, h, k, e], kind="normal"), "attn_mask": mask, "dropout_p": 0.0,
            "is_causal": causal, "enable_gqa": False, "dropout_mask": None, "scale": None if d.chance(60) else 0.3}


@family(r"im2col|col2im")
def columns(d):
    lead = [d.between(1, 3)] if d.chance(70) else []
    spatial, c = [d.between(2, 9), d.between(2, 9)], d.between(1, 4)
    kernel, stride, padding, dilation = window(d, 2, spatial, True, False)
    out = [(s + 2 * p - l * (k - 1) - 1) // t + 1 for s, k, t, p, l in zip(spatial, kernel, stride, padding, dilation)]
    shape = lead + ([c] + spatial if d.name == "im2col" else [c * kernel[0] * kernel[1], out[0] * out[1]])
    return {"self": d.tensor(shape), "output_size": spatial, "kernel_size": kernel, "dilation": dilation, "padding": padding, "stride": stride}


@family(r"_?native_batch_norm.*|_batch_norm_.*")
def batch_norm(d):
    shape = [d.between(1, 4), d.between(1, 6)] + [d.between(1, 6) for _ in range(d.between(0, 3))]
    c = [shape[1]]
    half = d.dtype in (torch.float16, torch.bfloat16) and d.chance(40)
    other = torch.float32 if half else d.dtype
    stats = d.chance(85) or "functional" in d.name
    return {"input": d.tensor(shape), "weight": d.tensor(c, other) if d.chance(70) else None, "bias": d.tensor(c, other) if d.chance(70) else None,
            "running_mean": d.tensor(c, other) if stats else None, "running_var": d.tensor(c, other, "unit") if stats else None, "training": d.chance(50) or not stats or d.schema.overload_name == "no_stats",  # else PyTorch reads what is not there
            "momentum": d.pick(0.1, 0.5, 0.0, 1.0), "eps": d.pick(1e-5, 1e-3)}


@family(r"native_layer_norm(_backward)?")
def layer_norm(d):
    shape = d.sizes(d.between(1, 4))
    n = d.between(1, len(shape))
    shape = shape[:-n] + [max(1, s) for s in shape[-n:]]  # PyTorch leaves the mean of nothing unset
    inner = shape[-n:]
    x, w, b = d.tensor(shape), d.tensor(inner) if d.chance(70) else None, d.tensor(inner) if d.chance(70) else None
    a = {"input": x, "normalized_shape": inner, "weight": w, "bias": b, "eps": d.pick(1e-5, 1e-3)}
    if "backward" in d.name:
        out, a["mean"], a["rstd"] = torch.native_layer_norm(x, inner, w, b, 1e-5)
        a["grad_out"] = d.tensor(shape)
        a["output_mask"] = [d.chance(80), w is not None and d.chance(80), b is not None and d.chance(80)]
    return a


@family(r"native_group_norm(_backward)?")
def group_norm(d):
    group = d.between(1, 3)
    c = group * d.between(1, 4)
    shape = [d.between(1, 3), c] + [d.between(1, 5) for _ in range(d.between(0, 3))]
    hw = torch.Size(shape[2:]).numel()
    x, w, b = d.tensor(shape), d.tensor([c]) if d.chance(70) else None, d.tensor([c]) if d.chance(70) else None
    a = {"input": x, "weight": w, "bias": b, "N": shape[0], "C": c, "HxW": hw, "group": group, "eps": d.pick(1e-5, 1e-3)}
    if "backward" in d.name:
        out, a["mean"], a["rstd"] = torch.native_group_norm(x, w, b, shape[0], c, hw, group, 1e-5)
        a["grad_out"] = d.tensor(shape)
        a["output_mask"] = [d.chance(80), d.chance(80), d.chance(80)]
    return a


@family(r"_?upsample.*")
def upsample(d):
    n = dimensions(d)
    shape = image(d, n, 1, True)
    out = [d.between(1, 12 if n < 3 else 7) for _ in range(n)]
    factors = [d.r.choice([0.5, 1.0, 1.7, 2.0, 2.5]) for _ in range(n)]
    by_size = d.chance(50)
    if "_aa" in d.name and not d.dtype.is_floating_point: d.dtype = torch.uint8  # others PyTorch only takes when no size changes
    if n == 2 and ("_aa" in d.name or d.dtype == torch.uint8):  # resized to one column, PyTorch repeats the first row
        shape[-1], out[-1], factors[-1] = max(2, shape[-1]), max(2, out[-1]), max(1.0, factors[-1])
    a = {"self": d.tensor(shape), "input": d.tensor(shape), "align_corners": d.chance(50)}
    if d.schema.overload_name == "vec":
        a.update(output_size=out if by_size else None, scale_factors=None if by_size else factors)
    else:
        if not by_size: out = [max(1, int(s * f)) for s, f in zip(shape[-n:], factors)]
        a["output_size"] = out
        for name, f in zip(["scales"] if n == 1 else ["scales_d", "scales_h", "scales_w"][-n:], factors): a[name] = None if by_size else f
    return a


@family(r"grid_sampler(_[23]d)?")
def grid_sampler(d):
    n = int(d.name[-2]) if d.name[-1] == "d" else d.pick(2, 3)
    shape, out = image(d, n, 1, True), [d.between(1, 5) for _ in range(n)]
    return {"input": d.tensor(shape), "grid": d.tensor([shape[0]] + out + [n], kind=d.pick("normal", "unit")), "interpolation_mode": d.between(0, 2 if n == 2 else 1),
            "padding_mode": d.between(0, 2)}


@family(r"(reflection|replication)_pad\dd")
def pad(d):
    n = dimensions(d)
    shape = image(d, n)
    padding = []
    for s in reversed(shape[-n:]): padding += [d.between(-1 if s > 3 and d.chance(20) else 0, s - 1 if "reflection" in d.name else 4) for _ in range(2)]
    return {"self": d.tensor(shape), "padding": padding}


@family(r"constant_pad_nd")
def constant_pad(d):
    n = d.between(0, d.rank)
    return {"self": d.tensor(d.shape), "pad": [d.between(-1 if d.chance(20) else 0, 3) for _ in range(2 * n)]}


@family(r"pixel_(un)?shuffle|(native_)?channel_shuffle")
def shuffle(d):
    f = d.between(1, 3)
    if "channel" in d.name: return {"self": d.tensor([d.between(1, 3), f * d.between(1, 3)] + d.sizes(d.between(1, 3), 5)), "groups": f}
    some = lambda: max(1, d.size(6))  # PyTorch gives the sizes of self when that has no elements
    shape = [some() for _ in range(d.between(0, 2))] + ([d.between(1, 3) * f * f, some(), some()] if d.name == "pixel_shuffle" else [d.between(1, 3), f * some(), f * some()])
    return {"self": d.tensor(shape), "upscale_factor": f, "downscale_factor": f}


@family(r"(_unsafe_)?index(_put)?(\.Tensor)?|_unsafe_masked_index(_put_accumulate)?")
def advanced_index(d):
    shape = [max(1, s) for s in d.shape] or [3]
    common = d.sizes(d.between(0, 2), 5)
    masked, unsafe = "masked" in d.name, "unsafe" in d.name
    indices, used = [], 0
    while used < len(shape):
        how = d.pick("none", "index", "index", "mask")
        if masked and how == "mask": how = "index"
        if how == "none": indices.append(None); used += 1
        elif how == "index":
            t = d.index([1 if d.chance(15) else s for s in common], shape[used], not masked, torch.int64 if d.chance(75) or unsafe else torch.int32)
            indices.append(t); used += 1
        else:
            k = d.between(1, min(2, len(shape) - used))
            mask = torch.zeros(shape[used:used + k], dtype=torch.bool)
            mask.reshape(-1)[:common[-1] if common else 1] = True
            if d.chance(50): mask = mask.reshape(-1)[torch.randperm(mask.numel(), generator=d.g)].reshape(mask.shape)
            indices.append(mask); used += k
        if d.chance(15): break
    x = d.tensor(shape)
    a = {"self": x, "indices": indices, "fill": d.scalar(), "accumulate": d.chance(50)}
    where = torch.ops.aten.index(torch.arange(x.numel()).reshape(shape), indices)
    if masked: a["mask"] = d.tensor(where.shape, torch.bool)
    if "put" in d.name:  # of several values for one element PyTorch keeps any
        twice = not masked and not a["accumulate"] and where.unique().numel() < where.numel()
        a["values"] = d.tensor([] if twice else where.shape if masked else d.broadcast(where.shape))
    return a


@family(r"index_(add|copy|reduce|fill|select)|index_fill\..*")
def index_along(d):
    shape = [s if s else 1 for s in d.shape]
    rank = len(shape)
    dim = d.axis(rank)
    extent = shape[dim] if rank else 1
    n = d.between(0, 6)
    if rank == 0: n = 1
    scalar_index = d.chance(8) if rank else d.chance(50)
    index = d.index([] if scalar_index else [n], extent, False, torch.int64 if d.chance(75) else torch.int32)
    source = list(shape)
    if rank: source[dim] = 1 if scalar_index else n
    return {"self": d.tensor(shape), "dim": dim, "index": index, "source": d.tensor(source), "alpha": d.scalar() if d.chance(60) else 1, "value": d.tensor([]) if "Tensor" in d.schema.overload_name else d.scalar(),
            **({"reduce": d.pick("prod", "mean")} if d.dtype.is_complex else {})}  # others PyTorch takes when nothing is indexed


@family(r"gather|scatter(_add|_reduce)?(\..*)?")
def gather(d):
    shape = [s if s else 1 for s in d.shape]
    rank = len(shape)
    dim = d.axis(rank)
    sizes = [d.between(0 if d.chance(5) else 1, s) for s in shape]
    if rank: sizes[dim] = d.between(0, 6)
    index = d.index(sizes, shape[dim] if rank else 1, False)
    src = [s + d.between(0, 1) for s in sizes] if d.chance(50) else sizes
    order = {"reduce": d.pick("sum", "prod", "mean")} if d.name == "scatter_reduce" and d.dtype.is_complex else {}
    return {"self": d.tensor(shape), "dim": dim, "index": index, "src": d.tensor(src if rank else []), "value": d.scalar(), **order}


@family(r"take|put")
def take(d):
    shape = [s if s else 1 for s in d.shape]
    n = torch.Size(shape).numel()
    index = d.index(d.sizes(d.between(0, 2), 6), n)
    if d.name == "put" and d.chance(60): index = torch.randperm(n, generator=d.g)[:d.between(0, n)]
    twice = (index % n).unique().numel() < index.numel()  # of several values for one element PyTorch keeps any
    return {"self": d.tensor(shape), "index": index, "source": d.tensor(index.shape), **({"accumulate": True} if twice else {})}


@family(r"embedding|embedding_dense_backward")
def embedding(d):
    n, width = d.between(1, 9), d.size(33)
    index = d.index(d.sizes(d.between(0, 3), 6), n, False, torch.int64 if d.chance(60) else torch.int32)
    return {"weight": d.tensor([n, width]), "indices": index, "num_weights": n, "padding_idx": d.between(-1, n - 1), "grad_output": d.tensor(list(index.shape) + [width])}


@family(r"_?embedding_bag(_forward_only|\.padding_idx)?")
def embedding_bag(d):
    n, width, count = d.between(1, 9), d.between(1, 17), d.between(1, 9)
    kind = torch.int64 if d.chance(60) else torch.int32
    offsets = torch.tensor([0] + sorted(d.between(0, count) for _ in range(d.between(0, 3))))
    last = d.chance(30)
    if last: offsets = torch.cat([offsets, torch.tensor([count])])
    mode = d.between(0, 2)
    return {"weight": d.tensor([n, width], layout=d.chance(20)), "indices": d.index([count], n, False, kind, False), "offsets": offsets.to(kind), "mode": mode, "scale_grad_by_freq": False,
            "include_last_offset": last, "per_sample_weights": d.tensor([count], layout=False) if mode == 0 and d.chance(40) else None, "padding_idx": d.between(-1, n - 1)}


@family(r"one_hot")
def one_hot(d):
    return {"self": d.index(d.sizes(d.between(0, 3), 5), 5, False), "num_classes": d.pick(-1, 5, 6)}


@family(r"masked_(scatter|select)|masked_fill\..*")
def masked(d):
    a = {"self": d.tensor(d.shape), "mask": d.tensor(d.broadcast(d.shape) if d.chance(80) else d.shape, torch.bool)}
    if d.name == "masked_scatter": a["source"] = d.tensor([torch.Size(d.shape).numel() + d.between(0, 2)])
    if d.schema.overload_name == "Tensor": a["value"] = d.tensor([], d.other_dtype())
    return a


@family(r"searchsorted|bucketize|searchsorted\..*|bucketize\..*")
def search(d):
    kind = "special" if d.kind == "special" else d.kind
    lead = d.sizes(d.between(0, 2), 4) if d.name == "searchsorted" and d.schema.overload_name == "Tensor" else []
    n = d.size(17)
    raw = d.values(lead + [n], d.dtype, kind)
    sequence, order = torch.sort(raw, -1)
    sorter = order if d.chance(30) else None
    side = d.pick(None, None, "left", "right")
    right = d.chance(50) if side is None else side == "right"
    where = lead + [d.size(9)] if lead else d.sizes(d.between(0, 3), 6)
    a = {"sorted_sequence": raw if sorter is not None else sequence, "boundaries": sequence, "sorter": sorter, "side": side, "right": right, "self": d.tensor(where)}
    if d.schema.overload_name == "Scalar": a["self"] = d.scalar()
    return a


@family(r"isin\..*")
def isin(d):
    a = {"assume_unique": False, "elements": d.tensor(d.shape, kind=d.pick("integers", "special")), "test_elements": d.tensor(d.sizes(d.between(0, 2), 20), kind="integers")}
    return a


@family(r"segment_reduce")
def segment_reduce(d):
    rank = d.between(1, 3)
    segments = [d.between(0, 4) for _ in range(d.between(1, 4))]
    shape = [sum(segments)] + d.sizes(rank - 1, 4)
    a = {"data": d.tensor(shape, layout=False), "lengths": None, "indices": None, "offsets": None, "axis": 0, "unsafe": d.chance(30), "initial": None if d.chance(50) else d.scalar()}
    if d.chance(60): a["lengths"] = torch.tensor(segments)
    else: a["offsets"] = torch.tensor([sum(segments[:i]) for i in range(len(segments) + 1)])
    return a


@family(r"repeat_interleave(\..*)?")
def repeat_interleave(d):
    dim = d.axis() if d.chance(70) else None
    n = torch.Size(d.shape).numel() if dim is None else d.shape[dim] if d.rank else 1
    repeats = d.index([n] if d.chance(80) else [1], 4, False, d.pick(torch.int64, torch.int32))
    if d.schema.overload_name == "self_int": return {"self": d.tensor(d.shape), "repeats": d.between(0, 3), "dim": dim, "output_size": None}
    if d.schema.overload_name == "Tensor": repeats = d.index([d.size(9)], 4, False, d.pick(torch.int64, torch.int32), False)
    return {"self": d.tensor(d.shape), "repeats": repeats, "dim": dim, "output_size": int(repeats.sum()) if d.chance(30) and d.schema.overload_name == "Tensor" else None}


def extent(d):
    return d.r.choice([0] if d.chance(4) else [1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 24])


@family(r"mm|bmm|addmm|addmv|addr|baddbmm|addbmm|mv|dot|vdot|(b?mm)\.dtype")
def matrices(d):
    m, k, n, b = extent(d), extent(d), extent(d), d.between(1, 3)
    a = {"out_dtype": torch.float32}
    if d.name == "mm": a.update(self=d.tensor([m, k]), mat2=d.tensor([k, n]))
    elif d.name == "bmm": a.update(self=d.tensor([b, m, k]), mat2=d.tensor([b, k, n]))
    elif d.name == "mv": a.update(self=d.tensor([m, k]), vec=d.tensor([k]))
    elif d.name in ("dot", "vdot"): a.update(self=d.tensor([k]), tensor=d.tensor([k]), other=d.tensor([k]))
    else:
        shape = {"addmm": [m, n], "addmv": [m], "addr": [m, n], "baddbmm": [b, m, n], "addbmm": [m, n]}[d.name]
        if d.name == "addmv": m, k = max(m, 1), max(k, 1)  # else PyTorch forgets to broadcast self
        a.update(self=d.tensor(d.broadcast(shape)), mat1=d.tensor([m, k]), mat2=d.tensor([k, n]), mat=d.tensor([m, k]), vec=d.tensor([k]), vec1=d.tensor([m]), vec2=d.tensor([n]),
                 batch1=d.tensor([b, m, k]), batch2=d.tensor([b, k, n]))
        whole = not d.dtype.is_floating_point and not d.dtype.is_complex
        for name in ("alpha", "beta"):
            if d.chance(60): a[name] = d.between(-2, 3) if whole else d.pick(1, 0.5, -2, 2.0, 0.3, *([] if d.kind == "special" else [0]))  # 0 times NaN depends on the library
    return a


@family(r"_grouped_mm")
def grouped_mm(d):
    k, n, groups, m = 8 * d.between(1, 3), 8 * d.between(1, 3), d.between(1, 3), 8 * d.between(1, 2)
    offs = torch.tensor([(i + 1) * m for i in range(groups)], dtype=torch.int32)
    if d.chance(50): return {"self": d.tensor([groups * m, k], layout=False), "mat2": d.tensor([groups, n, k], layout=False).transpose(-2, -1), "offs": offs, "bias": None, "out_dtype": None}
    return {"self": d.tensor([groups, m, k], layout=False), "mat2": d.tensor([groups, n, k], layout=False).transpose(-2, -1), "offs": None, "bias": None, "out_dtype": None}


@family(r"_trilinear")
def trilinear(d):
    a, b, c = d.between(1, 4), d.between(1, 5), d.between(1, 5)
    if d.dtype in FLOATS[2:] and d.kind == "wide": d.kind = "normal"  # products overflow in one order and not in another
    if d.chance(50): return {"i1": d.tensor([a, b]), "i2": d.tensor([c, b, 3]), "i3": d.tensor([a, 3]), "expand1": [1, 3], "expand2": [0], "expand3": [1, 2], "sumdim": [2, 3], "unroll_dim": d.between(0, 3)}
    shape = [a, b, c]
    return {"i1": d.tensor(shape), "i2": d.tensor(shape), "i3": d.tensor(shape), "expand1": [], "expand2": [], "expand3": [], "sumdim": sorted(d.dims(3)), "unroll_dim": d.between(0, 2)}


def square(d, definite=False, well=True):
    n, lead = d.between(0 if d.chance(5) else 1, 6), d.sizes(d.between(0, 2) if d.chance(40) else 0, 3)
    a = d.values(lead + [n, n], d.dtype, "normal")
    if definite: a = a @ a.mT.conj() + torch.eye(n, dtype=d.dtype) * n
    elif well: a = a + torch.eye(n, dtype=d.dtype) * 3
    return d.laid_out(a, "permuted", "gaps") if d.chance(30) else a, lead, n


def matrix(d, shape):
    """Of full rank, as good as always: what comes of another one hangs on rounding."""
    a = d.values(shape, d.dtype, "normal")
    return d.laid_out(a, "permuted", "gaps") if d.chance(30) else a


@family(r"linalg_cholesky_ex|cholesky_inverse|cholesky_solve|linalg_matrix_sqrth")
def cholesky(d):
    a, lead, n = square(d, True)
    upper = d.chance(50)
    if d.name.startswith("cholesky"): a = torch.linalg.cholesky(a, upper=upper)
    if d.name == "cholesky_solve": return {"self": d.tensor(lead + [n, d.between(1, 4)], kind="normal"), "input2": a, "upper": upper}
    return {"self": a, "upper": upper, "check_errors": False}


@family(r"_?linalg_(det|slogdet|eigh|eigvalsh|inv|solve|cholesky|cond|lu_factor)|(det|slogdet|logdet|inverse|matrix_exp|linalg_solve_ex|_lu_with_info)(\..*)?|linalg_(inv_ex|lu|lu_factor_ex|matrix_exp)|_linalg_solve_ex")
def square_only(d):
    if "matrix_exp" in d.name and d.dtype in FLOATS[2:]: d.dtype = torch.float32  # PyTorch's result in half types is noise
    a, lead, n = square(d, "eigh" in d.name or "eigvalsh" in d.name or "cholesky" in d.name)
    left, k = d.chance(70), d.between(1, 4)
    if "lu" in d.name and d.chance(40): a = matrix(d, lead + [n, d.between(1, 6)])
    vector = not lead and d.chance(30)
    pivot = True  # PyTorch's CPU has nothing else
    return {"A": a, "self": a, "B": d.tensor([n] if vector else lead + ([n, k] if left else [k, n]), kind="normal"), "left": left or vector, "pivot": pivot, "compute_v": True}


@family(r"linalg_(lu_solve|ldl_solve)|lu_unpack")
def factored(d):
    a, lead, n = square(d, d.name == "linalg_ldl_solve")
    left, k = d.chance(60), d.between(1, 4)
    b = d.tensor(lead + ([n, k] if left or "ldl" in d.name else [k, n]), kind="normal")
    if d.name == "linalg_ldl_solve":
        LD, pivots = torch.linalg.ldl_factor(a, hermitian=False)
        return {"LD": LD, "pivots": pivots, "B": b, "hermitian": False}
    LU, pivots = torch.linalg.lu_factor(a)
    return {"LU": LU, "pivots": pivots, "B": b, "left": left, "LU_data": LU, "LU_pivots": pivots}


@family(r"linalg_(qr|householder_product|pinv|svd|svdvals)(\..*)?|pinverse|orgqr|_linalg_svd|geqrf|ormqr|linalg_pinv\..*")
def tall_or_wide(d):
    lead = d.sizes(d.between(0, 2) if d.chance(30) else 0, 3)
    m, n = d.between(0 if d.chance(4) else 1, 6), d.between(1, 6)
    a = matrix(d, lead + [m, n])
    g = {"A": a, "self": a, "atol": None, "rtol": None, "hermitian": False, "driver": None, "compute_uv": True}
    if d.name == "linalg_pinv" and d.chance(30):
        b, lead, n = square(d, True)
        g.update(self=b, hermitian=True)
    if d.name == "linalg_pinv" and d.chance(30): g.update(rtol=torch.tensor(1e-3, dtype=a.dtype.to_real() if a.is_complex() else a.dtype))
    if d.name in ("linalg_householder_product", "ormqr", "orgqr"):
        m, n = max(m, n), min(m, n)
        h, tau = torch.geqrf(d.values(lead + [m, n], d.dtype, "normal"))
        if d.chance(25): tau = tau[..., :d.between(1, n)].contiguous()
        left, k = d.chance(60), d.between(1, 4)
        g.update(input=h, tau=tau, self=h, input2=tau, input3=d.tensor(lead + ([m, k] if left else [k, m]), kind="normal"), left=left)
    return g


@family(r"linalg_solve_triangular|triangular_solve")
def triangular(d):
    a, lead, n = square(d)
    left, k = d.chance(60), d.between(1, 4)
    b = d.tensor(lead + ([n, k] if left or d.name == "triangular_solve" else [k, n]), kind="normal")
    if d.name == "triangular_solve": return {"self": b, "A": a}
    return {"self": a, "B": b, "left": left}


@family(r"linalg_cross")
def cross(d):
    shape = [max(1, s) for s in d.shape] or [3]
    dim = d.axis(len(shape))
    shape[dim] = 3
    other = [1 if d.chance(15) and s != 3 else s for s in shape]
    return {"self": d.tensor(shape), "other": d.tensor(other), "dim": dim}


@family(r"linalg_vector_norm|norm\..*|norm")
def norm(d):
    p = d.pick(0, 1, 2, 3, 2.0, 0.5, INF, -INF, -1, 1.5)
    return {"self": d.tensor(d.shape), "ord": p, "p": p if d.chance(85) or d.schema.overload_name == "Scalar" else None, "dtype": d.r.choice(FLOATS) if "dtype" in d.schema.overload_name or d.chance(20) else None}


@family(r"_fft_(c2c|r2c|c2r)")
def fft(d):
    rank = d.between(1, 3)
    shape = [d.r.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 17, 30, 32]) for _ in range(rank)]
    while torch.Size(shape).numel() > 1500: shape[shape.index(max(shape))] //= 2
    dims = d.r.sample(range(rank), d.between(1, rank))
    last = d.r.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17])
    if d.name == "_fft_c2r": shape[dims[-1]] = last // 2 + 1
    return {"self": d.tensor(shape), "dim": dims, "normalization": d.between(0, 2), "onesided": d.chance(70), "last_dim_size": last}


@family(r"_scaled_dot_product_flash_attention_for_cpu")
def attention(d):
    b, h, q, k, e = d.between(1, 2), d.between(1, 3), d.between(1, 9), d.between(1, 9), d.r.choice([1, 2, 4, 8, 16])
    kind = d.pick("normal", "unit", "integers")
    causal = d.chance(40)
    if causal and d.chance(60): k = q
    mask = None
    if not causal and d.chance(50): mask = d.tensor([d.pick(1, b), d.pick(1, h), q, k] if d.chance(60) else [q, k], d.pick(d.dtype, torch.bool), "normal", False)  # PyTorch reads a mask with gaps wrongly
    def heads(n):  # PyTorch counts on rows without gaps
        return d.tensor([b, n, h, e], kind=kind, layout=False).transpose(1, 2) if d.chance(50) else d.tensor([b, h, n, e], kind=kind, layout=False)
    return {"query": heads(q), "key": heads(k), "value": heads(k), "dropout_p": 0.0, "is_causal": causal,
            "attn_mask": mask, "scale": None if d.chance(60) else d.r.uniform(0.1, 1)}


def factorize(d, n, parts):
    out = [1] * parts
    for f in (2, 2, 2, 3, 3, 5, 7):
        if n % f == 0 and n > 1: out[d.r.randrange(parts)] *= f; n //= f
    out[d.r.randrange(parts)] *= n
    return out


@family(r"view|view_copy|_unsafe_view|_reshape_copy|_reshape_alias|reshape")
def view(d):
    x = d.tensor(d.shape)
    if d.schema.overload_name == "dtype":
        return {"self": x, "dtype": d.r.choice([t for t in DTYPES if t != torch.bool or d.dtype == t])}  # bytes that are no bool
    n = x.numel()
    size = factorize(d, n, d.between(1, 4)) if n else [0, d.between(1, 3)]
    strides = [torch.Size(size[i + 1:]).numel() for i in range(len(size))]
    if d.name == "_reshape_alias": x = x.contiguous()
    elif n and d.chance(30): size[d.r.randrange(len(size))] = -1
    return {"self": x, "size": size, "stride": strides}


@family(r"expand(_copy)?")
def expand(d):
    base = [1 if d.chance(35) else s for s in d.shape]
    out = [s if s != 1 else d.between(1, 4) for s in base]
    if d.chance(25): out = [-1 if d.chance(50) else s for s in out]
    return {"self": d.tensor(base), "size": d.sizes(d.between(0, 2), 3) + out, "implicit": False}


@family(r"repeat")
def repeat(d):
    return {"self": d.tensor(d.shape), "repeats": [d.between(0 if d.chance(10) else 1, 3) for _ in range(d.rank + d.between(0, 2))]}


@family(r"permute(_copy)?")
def permute(d):
    order = d.r.sample(range(d.rank), d.rank)
    return {"self": d.tensor(d.shape), "dims": [o - d.rank if d.chance(30) else o for o in order]}


@family(r"t|t_copy")
def transposed(d):
    return {"self": d.tensor(d.shape[:2])}


@family(r"flip|squeeze(_copy)?(\.dims)?|count_nonzero\.dim_IntList|logsumexp")
def unique_dims(d):
    return {"self": d.tensor([1 if "squeeze" in d.name and d.chance(50) else s for s in d.shape]), "dims": d.dims(), "dim": d.axis() if d.schema.overload_name == "dim" else d.dims()}


@family(r"roll")
def roll(d):
    dims = d.dims() if d.chance(70) else []
    return {"self": d.tensor(d.shape), "shifts": [d.between(-9, 9) for _ in (dims or [0])], "dims": dims}


@family(r"rot90")
def rot90(d):
    shape = d.shape if d.rank >= 2 else d.sizes(2)
    return {"self": d.tensor(shape), "k": d.between(-5, 5), "dims": d.r.sample(range(-len(shape), 0), 2) if d.chance(70) else d.r.sample(range(len(shape)), 2)}


@family(r"as_strided(_copy|_scatter)?")
def as_strided(d):
    x = d.tensor(d.sizes(d.between(1, 3)), layout=False)
    if d.chance(20) and x.dim() == 2 and d.name != "as_strided_scatter": x = x.t().contiguous().t()  # whose result has row-major storage in Glint
    offset = d.between(0, 3)
    size, stride, room = [], [], x.numel() - offset - 1
    for _ in range(d.between(0, 3)):
        t = d.between(0 if d.name != "as_strided_scatter" else 1, 5)
        s = d.between(1, min(5, room // t + 1) if room >= 0 and t else 4)
        room -= (s - 1) * t
        size.append(s); stride.append(t)
    if d.name == "as_strided_scatter":  # elements must not overlap
        size, stride = [d.between(1, max(1, x.numel() // 4))], [d.between(1, 2)]
    return {"self": x, "size": size, "stride": stride, "storage_offset": offset if offset or d.chance(50) else None, "src": d.tensor(size)}


@family(r"(unsafe_)?split(_copy)?(\.Tensor)?|(unsafe_)?split_with_sizes(_copy)?")
def split(d):
    shape = d.shape or [5]
    dim = d.axis(len(shape))
    n = shape[dim]
    sizes = []
    while sum(sizes) < n: sizes.append(d.between(0 if d.chance(15) else 1, n - sum(sizes)))
    return {"self": d.tensor(shape), "split_size": sizes if d.schema.overload_name == "sizes" else d.between(1, n + 2), "split_sizes": sizes, "dim": dim}


@family(r"_chunk_cat")
def chunk_cat(d):
    rank = d.between(1, 3)
    dim = d.between(0, rank - 1)
    lead = [d.between(1, 3) for _ in range(dim)]
    return {"tensors": [d.tensor(lead + [d.between(1, 6)] + d.sizes(d.between(0, 2), 4)) for _ in range(d.between(1, 3))], "dim": dim, "num_chunks": d.between(1, 4)}


@family(r"cat|stack|block_diag")
def joined(d):
    if d.name == "block_diag": return {"tensors": [d.tensor(d.sizes(d.between(0, 2), 5), d.other_dtype()) for _ in range(d.between(1, 4))]}
    shape = d.shape if d.name == "stack" else d.shape or [3]
    dim = d.axis(len(shape) + (d.name == "stack"))
    many = []
    for _ in range(d.between(1, 5)):
        s = list(shape)
        if d.name == "cat": s[dim] = d.size(9)
        many.append(d.tensor([0] if d.name == "cat" and d.chance(6) else s, d.other_dtype() if d.chance(40) else d.dtype))
    return {"tensors": many, "dim": dim}


def sliced(d, n):
    start = None if d.chance(20) else d.between(-n - 1, n + 1)
    end = d.pick(None, 9223372036854775807) if d.chance(30) else d.between(-n - 1, n + 2)
    return start, end, d.between(1, 3)


@family(r"slice(_copy|_scatter|_backward)?(\.Tensor)?")
def slices(d):
    shape = d.shape or [5]
    dim = d.axis(len(shape))
    x = d.tensor(shape)
    start, end, step = sliced(d, shape[dim])
    a = {"self": x, "dim": dim, "start": start, "end": end, "step": step}
    if "backward" in d.name: a.update(start=start or 0, end=shape[dim] if end is None else end)
    part = torch.ops.aten.slice(x, dim, a["start"], a["end"], step)
    a.update(src=d.tensor(part.shape), grad_output=d.tensor(part.shape), input_sizes=shape)
    return a


@family(r"select(_copy|_scatter|_backward)?(\.int)?|narrow_copy")
def select(d):
    shape = [max(1, s) for s in d.shape] or [4]
    dim = d.axis(len(shape))
    n, x = shape[dim], d.tensor(shape)
    index, start = d.between(-n, n - 1), d.between(0, n)
    part = x.select(dim, index).shape
    return {"self": x, "dim": dim, "index": index, "start": start, "length": d.between(0, n - start), "src": d.tensor(part), "grad_output": d.tensor(part), "input_sizes": shape}


@family(r"diagonal(_copy|_scatter|_backward)?")
def diagonal(d):
    shape = d.shape if d.rank >= 2 else d.sizes(2)
    rank = len(shape)
    one, two = d.r.sample(range(rank), 2)
    if d.chance(40): one -= rank
    if d.chance(40): two -= rank
    offset = d.between(-3, 3)
    x = d.tensor(shape)
    part = x.diagonal(offset, one, two).shape
    return {"self": x, "offset": offset, "dim1": one, "dim2": two, "src": d.tensor(part), "grad_output": d.tensor(part), "input_sizes": shape}


@family(r"diag_embed")
def diag_embed(d):
    one, two = d.r.sample(range(d.rank + 1), 2) if d.rank else (0, 0)
    return {"self": d.tensor(d.shape), "offset": d.between(-3, 3), "dim1": one, "dim2": two} if d.chance(60) else {"self": d.tensor(d.shape), "dim1": -2, "dim2": -1}


@family(r"unfold(_copy|_backward)?")
def unfold(d):
    shape = d.shape
    dim = d.axis()
    n = shape[dim] if shape else 1
    size, step = d.between(0 if d.chance(8) else 1, n), d.between(1, 3)
    x = d.tensor(shape)
    return {"self": x, "dimension": dim, "dim": dim, "size": size, "step": step, "input_sizes": shape, "grad_in": d.tensor(x.unfold(dim, size, step).shape)}


@family(r"unsqueeze(_copy)?")
def unsqueeze(d):
    return {"self": d.tensor(d.shape), "dim": d.between(-d.rank - 1, d.rank)}


@family(r"view_as_(complex|real)(_copy)?")
def as_complex(d):
    return {"self": d.tensor(d.shape + ([2] if "complex" in d.name else []), layout=d.chance(40))}


@family(r"tril|triu|trace")
def triangle(d):
    return {"self": d.tensor(d.shape if d.rank >= 2 and d.name != "trace" else d.sizes(2)), "diagonal": d.between(-4, 4)}


@family(r"tril_indices|triu_indices|eye|eye\.m")
def triangle_indices(d):
    return {"row": d.between(0, 6), "col": d.between(0, 6), "offset": d.between(-4, 4), "n": d.between(0, 6), "m": d.between(0, 6), "dtype": None if d.name == "eye" and d.chance(30) else d.r.choice(DTYPES)}


@family(r"arange(\..*)?")
def arange(d):
    whole = d.chance(60)
    start, step = (d.between(-9, 9), d.pick(1, 1, 2, 3, -1, -2)) if whole else (d.r.uniform(-5, 5), d.pick(0.5, 0.3, 1.0, -0.7))
    count = d.between(0, 20)
    return {"start": start, "end": start + step * count + (0 if whole else d.pick(0, 0.01)) if "start" in d.schema.overload_name else abs(count + (0 if whole else 0.5)), "step": step if "step" in d.schema.overload_name else 1,
            "dtype": None if d.chance(50) else d.r.choice(DTYPES[:9])}


@family(r"(lin|log)space(\..*)?")
def linspace(d):
    a = {"steps": d.between(0, 20), "dtype": None if d.chance(50) else d.r.choice([t for t in DTYPES if t != torch.bool]), "base": d.pick(10.0, 2.0, 2.718281828, 0.5)}
    wide = 3 if d.name == "logspace" else 9
    for name in ("start", "end"):
        number = d.between(-wide, wide) if d.chance(50) else d.r.uniform(-wide, wide)
        tensor = {"start": "Tensor_", "end": "_Tensor"}[name]
        o = d.schema.overload_name
        a[name] = torch.tensor(number) if (name == "start" and o.startswith(tensor)) or (name == "end" and o.endswith(tensor)) else number
    return a


@family(r"new_(empty|full|ones|zeros)|empty(\..*)?|full|ones|zeros|new_empty_strided|empty_strided")
def factory(d):
    size = d.sizes(d.between(0, 4))
    order = d.r.sample(range(len(size)), len(size))
    strides, step = [0] * len(size), 1
    for i in order: strides[i], step = step, step * max(1, size[i])
    return {"self": d.tensor(d.shape), "size": size, "stride": strides, "dtype": None if d.chance(40) else d.r.choice(DTYPES), "memory_format": None}


@family(r"scalar_tensor")
def scalar_tensor(d):
    return {"dtype": None if d.chance(40) else d.r.choice(DTYPES)}


@family(r"clone|_to_copy|(empty|full|ones|zeros)_like")
def like(d):
    return {"self": d.tensor(d.shape), "dtype": None if d.chance(40) else d.r.choice(DTYPES)}


@family(r"copy|fill\..*")
def copy(d):
    return {"self": d.tensor(d.shape), "src": d.tensor(d.broadcast(d.shape), d.r.choice(DTYPES[:10])), **({"value": d.tensor([], d.other_dtype())} if d.schema.overload_name == "Tensor" else {})}


@family(r"(_log_|_)softmax|_safe_softmax|cum.*|logcumsumexp")
def softmax(d):
    if d.name == "logcumsumexp" and d.dtype.is_complex: d.kind = "normal"  # else the imaginary part is some turns off
    return {"self": d.tensor(d.shape), "dim": d.axis(), "half_to_float": False, "dtype": None if d.chance(60) else d.r.choice(FLOATS)}


@family(r"_(log_)?softmax_backward_data")
def softmax_backward(d):
    dim = d.axis()
    x = d.values(d.shape, d.dtype, "normal")
    out = torch.log_softmax(x, dim) if "log" in d.name else torch.softmax(x, dim)
    return {"grad_output": d.tensor(d.shape), "output": out, "dim": dim, "input_dtype": d.dtype}


@family(r"glu")
def glu(d):
    shape = d.shape or [2]
    dim = d.axis(len(shape))
    shape[dim] = 2 * max(1, shape[dim])
    return {"self": d.tensor(shape), "dim": dim}


@family(r"(mse|smooth_l1|huber|soft_margin|l1|poisson_nll|kl_div|hinge_embedding)_loss|kl_div|binary_cross_entropy.*")
def losses(d):
    probability = d.name == "binary_cross_entropy"
    if d.dtype.is_complex: d.kind = "unit"  # complex exponentials do not overflow halfway
    x = d.tensor(d.shape, kind="unit" if probability else None)
    target = d.tensor(d.shape, kind="unit" if "binary" in d.name else None)
    return {"self": x, "target": target, "weight": d.tensor(d.broadcast(d.shape) if not probability else d.shape) if d.chance(40) else None, "pos_weight": d.tensor(d.broadcast(d.shape)) if d.chance(40) else None,
            "beta": d.pick(1.0, 0.5, 0.0, 2.0), "delta": d.pick(1.0, 0.5, 2.0)}


@family(r"nll_loss(2d)?(_forward|_nd)?|cross_entropy_loss|multi_margin_loss|multilabel_margin_loss|multilabel_margin_loss_forward")
def class_losses(d):
    n, c = d.between(1, 4), d.between(1, 6)
    ignore = d.pick(-100, 0, 1)
    weight = d.tensor([c]) if d.chance(40) else None
    if "2d" in d.name: shape, target = [n, c, d.between(1, 4), d.between(1, 4)], None
    elif d.chance(25): shape = [c]
    else: shape = [n, c]
    if "multilabel" in d.name: target = d.index(shape, c, False) - (torch.rand(shape, generator=d.g) < 0.4).long() * 9; target = target.clamp(min=-1)
    else: target = d.index([n] + shape[2:] if len(shape) > 1 else [], c, False, torch.int64, layout=d.chance(30))
    return {"self": d.tensor(shape), "target": target, "weight": weight, "ignore_index": ignore, "p": d.pick(1, 2), "margin": d.pick(1, 0.5, 2.0)}


@family(r"special_.*polynomial.*")
def polynomials(d):
    n = d.between(-1, 12)
    a = {"n": n, "x": d.r.uniform(-1.5, 1.5) if d.chance(60) else d.between(-3, 3)}
    if "n_scalar" not in d.schema.overload_name: a["n"] = d.tensor(d.broadcast(d.shape), kind="integers")
    if "x_scalar" not in d.schema.overload_name: a["x"] = d.tensor(d.shape)
    return a


@family(r"polygamma|mvlgamma")
def gammas(d):
    return {"n": d.between(0, 4), "p": d.between(1, 4), "self": d.tensor(d.shape)}


@family(r"topk|kthvalue")
def ranked(d):
    dim = d.axis()
    n = d.shape[dim] if d.rank else 1
    return {"self": d.tensor(d.shape), "dim": dim, "k": d.between(0 if d.name == "topk" else 1, n), "sorted": True}


@family(r"(__[lr]shift__|bitwise_(left|right)_shift)(\..*)?")
def shifts(d):
    a = {"self": d.tensor(d.shape), "other": d.tensor(d.broadcast(d.shape), kind="integers" if d.chance(85) else None)}
    if d.schema.overload_name in ("Scalar", "Tensor_Scalar"): a["other"] = d.between(0, 9)
    if d.schema.overload_name == "Scalar_Tensor": a["self"] = d.between(-9, 99)
    return a


@family(r"(arg)?sort(\..*)?")
def argsort(d):
    """Distinct elements where the order of equal ones is open."""
    if d.schema.overload_name == "stable" and d.chance(50): return {"self": d.tensor(d.shape), "stable": True}
    if d.name == "sort" and max(d.shape, default=0) <= 16: return {"self": d.tensor(d.shape)}  # stable by chance
    n = torch.Size(d.shape).numel()
    return {"self": torch.randperm(n, generator=d.g).reshape(d.shape).to(d.dtype if n < 120 and d.dtype != torch.bool else torch.int64)}


@family(r"bincount")
def bincount(d):
    n = d.size(20)
    return {"self": d.index([n], 9, False, d.r.choice(INTS), False), "weights": d.tensor([n], layout=False) if d.chance(50) else None, "minlength": d.between(0, 12)}


@family(r"histc")
def histc(d):
    low = d.between(-5, 2)
    return {"self": d.tensor(d.shape), "bins": d.between(1, 12), **({"min": low, "max": low + d.between(0, 6)} if d.chance(60) else {"min": 0, "max": 0})}


@family(r"_cdist_forward|_pdist_forward|dist|renorm")
def distances(d):
    p = d.pick(0.0, 1.0, 2.0, 3.0, 0.5, INF, 1.5)
    lead, w = d.sizes(d.between(0, 1), 3), d.size(9) if d.dtype.is_floating_point else d.between(1, 9)
    a = {"x1": d.tensor(lead + [d.size(30), w]), "x2": d.tensor(lead + [d.size(30), w]), "p": p, "compute_mode": d.pick(None, 0, 1, 2), "self": d.tensor([d.size(9), w] if d.name == "_pdist_forward" else d.shape)}
    if d.name == "dist": a["other"] = d.tensor(d.broadcast(d.shape))
    if d.name == "renorm": a.update(self=d.tensor(d.shape if d.rank > 1 else d.sizes(2)), maxnorm=d.pick(1.0, 0.5, 3, 0), dim=d.between(-2, 1), p=d.pick(1, 2, 3.0, INF, 0.5))
    return a


@family(r"_weight_norm(_interface)?")
def weight_norm(d):
    shape = [max(1, s) for s in d.sizes(d.between(1, 4), 6)]
    dim = d.pick(0, len(shape) - 1)
    return {"v": d.tensor(shape, layout=False), "g": d.tensor([s if i == dim else 1 for i, s in enumerate(shape)], layout=False), "dim": dim}  # PyTorch reads them row by row


@family(r"_prelu_kernel")
def prelu(d):
    return {"self": d.tensor(d.shape), "weight": d.tensor(d.broadcast(d.shape))}


@family(r"native_dropout_backward")
def dropout_backward(d):
    return {"grad_output": d.tensor(d.shape), "mask": d.tensor(d.shape, torch.bool), "scale": d.pick(2.0, 1.25)}


@family(r"(std|var)(_mean)?(\..*)?")
def variances(d):
    return {"self": d.tensor(d.shape), "correction": d.pick(None, 0, 1, 2, 0.5), "dim": None if d.chance(20) else d.dims()}


@family(r"prod(\..*)?")
def products(d):
    """Floats without overflow and underflow, which come and go with the order of the factors."""
    floating = d.dtype.is_floating_point or d.dtype.is_complex
    x = d.tensor(d.shape, kind="unit" if floating else None, layout=d.chance(50))
    return {"self": x / 2 + 0.75 if floating else x, "dim": d.axis(), "dtype": d.pick(None, torch.float64, torch.float32) if floating else d.pick(None, torch.int64, torch.int32)}


@family(r"sinc|sigmoid|logaddexp|expm1")
def sinc(d):
    """Complex exponentials do not overflow halfway."""
    if d.dtype.is_complex: d.kind = "normal"
    return {"self": d.tensor(d.shape), "other": d.tensor(d.broadcast(d.shape))}


@family(r"(sum|mean|amax|amin|nansum|all|any)(\..*)?")
def reductions(d):
    given = {"self": d.tensor(d.shape), "dim": d.axis() if d.schema.overload_name == "dim" and d.name in ("all", "any") else None if d.chance(12) else d.dims()}
    if d.name in ("amax", "amin") and given["dim"] is None: given["dim"] = []
    if d.chance(60) or d.kind == "special": given["dtype"] = None
    return given


@family(r"sym_(size|stride)(\..*)?|item|_local_scalar_dense|sym_numel")
def numbers(d):
    one = d.name in ("item", "_local_scalar_dense")
    return {"self": d.tensor([1] * d.between(0, 2) if one else d.shape, layout=d.name != "sym_stride"), "dim": d.axis()}  # rows do not tell strides of sizes 1


@family(r"complex|polar")
def complex_parts(d):
    t = [d.tensor(d.shape), d.tensor(d.broadcast(d.shape))]
    return {"real": t[0], "imag": t[1], "abs": t[0], "angle": t[1]}


@family(r"lerp\..*")
def lerp(d):
    return {"self": d.tensor(d.shape), "end": d.tensor(d.broadcast(d.shape)), "weight": d.tensor(d.broadcast(d.shape)) if d.schema.overload_name == "Tensor" else d.scalar()}


@family(r"ldexp")
def ldexp(d):
    """Of mixed dtypes PyTorch computes the power in float and no better; it overflows where Glint's does not."""
    if d.kind == "wide": d.kind = "integers"
    return {"self": d.tensor(d.shape), "other": d.tensor(d.broadcast(d.shape), d.dtype if d.dtype.is_complex else d.other_dtype())}


@family(r"nonzero_static")
def nonzero_static(d):
    return {"self": d.tensor(d.shape), "size": d.between(0, 12)}


@family(r"logit")
def logit(d):
    return {"self": d.tensor(d.shape, kind="unit" if d.chance(60) else None), "eps": d.pick(None, 1e-6, 0.1)}


@family(r"igammac?|special_zeta.*")
def positive(d):
    a = {"self": d.tensor(d.shape), "other": d.tensor(d.broadcast(d.shape))}
    for name, t in a.items():
        if d.chance(70): a[name] = t.abs()
    if "self_scalar" in d.schema.overload_name: a["self"] = d.pick(1.5, 2, 3.0, 1, 0.5)
    if "other_scalar" in d.schema.overload_name: a["other"] = d.pick(1.5, 2, 3.0, 1, 0.5)
    return a


@family(r"fake_quantize_per_(tensor|channel)_affine(\..*)?")
def fake_quantize(d):
    d.dtype, low = torch.float32, d.pick(0, -8, -128)
    shape = d.shape if d.rank else [3]
    axis = d.between(0, len(shape) - 1)
    n = [shape[axis]] if "channel" in d.name else [1]
    a = {"self": d.tensor(shape, kind="normal"), "axis": axis, "quant_min": low, "quant_max": low + d.pick(15, 255), "scale": torch.rand(n, generator=d.g) + 0.01, "zero_point": torch.zeros(n, dtype=torch.int32)}
    if d.schema.overload_name == "" and "tensor" in d.name: a.update(scale=d.r.uniform(0.01, 1), zero_point=low + 3)
    return a


@family(r"(nan)?quantile(\..*)?")
def quantile(d):
    return {"self": d.tensor(d.shape, layout=False), "q": d.r.random() if d.schema.overload_name == "scalar" else torch.rand(d.pick([], [3]), generator=d.g, dtype=torch.float64 if d.dtype == torch.float64 else torch.float32),
            "dim": d.axis() if d.rank and d.chance(70) else None, "interpolation": d.pick("linear", "lower", "higher", "nearest", "midpoint")}


@family(r"affine_grid_generator")
def affine_grid(d):
    n, k = d.between(1, 3), d.pick(2, 3)
    return {"theta": d.tensor([n, k, k + 1], kind="normal"), "size": [n, d.between(1, 3)] + [d.between(1, 5) for _ in range(k)]}


@family(r"meshgrid(\..*)?")
def meshgrid(d):
    return {"tensors": [d.tensor([d.size(5)]) for _ in range(d.between(1, 3))], "indexing": d.pick("ij", "xy")}


@family(r"_int_mm")
def int_mm(d):
    m, k, n = d.between(17, 20), 8 * d.between(1, 3), 8 * d.between(1, 3)
    return {"self": d.tensor([m, k], torch.int8, layout=False), "mat2": d.tensor([k, n], torch.int8, layout=False)}


@family(r"rnn_(tanh|relu)_cell|gru_cell|lstm_cell")
def cells(d):
    b, i, h = d.between(1, 3), d.between(1, 5), d.between(1, 5)
    g = {"rnn_tanh_cell": 1, "rnn_relu_cell": 1, "gru_cell": 3, "lstm_cell": 4}[d.name] * h
    state = d.tensor([b, h], kind="unit")
    return {"input": d.tensor([b, i], kind="normal"), "hx": [state, d.tensor([b, h], kind="unit")] if d.name == "lstm_cell" else state, "w_ih": d.tensor([g, i], kind="normal"),
            "w_hh": d.tensor([g, h], kind="normal"), "b_ih": d.tensor([g], kind="normal"), "b_hh": d.tensor([g], kind="normal")}


@family(r"einsum")
def einsum(d):
    i, j, k = d.between(1, 4), d.between(1, 4), d.between(1, 4)
    equation, shapes = d.pick(("ij,jk->ik", [[i, j], [j, k]]), ("bij,bjk->bik", [[2, i, j], [2, j, k]]), ("ij->ji", [[i, j]]), ("ii->i", [[i, i]]), ("i,j->ij", [[i], [j]]), ("ij,ij->", [[i, j], [i, j]]),
                              ("...ij,...jk->...ik", [[2, 3, i, j], [3, j, k]]), ("bqhd,bkhd->bhqk", [[2, i, 2, j], [2, k, 2, j]]))
    return {"equation": equation, "tensors": [d.tensor(s) for s in shapes], "path": None}
