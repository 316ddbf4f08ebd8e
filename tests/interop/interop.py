"""Programs across runtimes, when ExecuTorch's Python package is installed: ours on the stock runtime, stock ones on ours.

    python interop.py --glint build/release/bin/glint [--write-stock DIR] [--only PART] [CORPUS ...]

Ours: every archive of the corpus folders (index.jsonl, tensors.safetensors), compiled with --target=portable, runs on the
stock runtime and gives the recorded outputs. Stock: small modules that PyTorch and the package export to portable
programs run under `glint run` and give PyTorch's outputs. The stock bindings abort on some inputs, so every case runs
in a process of its own. Prints "N passed, M failed, K refused"; exit 1 on any failure, 77 (skipped) without the package.

--write-stock keeps the stock programs in DIR.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

CORPORA = ["archives/torch-2.5", "archives/torch-2.13", "archives/torch-2.14", "models", "states", "control"]
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def modules():
    """Name: module, arguments, options of torch.export. Only what needs PyTorch is imported here."""
    import torch
    import torch.nn as nn

    class Index(nn.Module):
        def forward(self, x, i):
            return x[i], x[:, 1:3], x.index_select(1, i), torch.gather(x, 1, i[None].expand(4, 2))

    class Softmax(nn.Module):
        def forward(self, x):
            return x.softmax(-1), x.log_softmax(0), torch.where(x > 0, x, x * 0.1), x.argmax(1)

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(5, 6, batch_first=True)

        def forward(self, x):
            out, (h, c) = self.lstm(x)
            return out, h, c

    class Reduce(nn.Module):
        def forward(self, x):
            return x.sum(1), x.mean((0, 2), keepdim=True), x.amax(-1), x.var(1), torch.cumsum(x, 1), (x > 0).any(1)

    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(3))

        def forward(self, x):
            self.total.add_(x)
            return self.total * 2

    class Integers(nn.Module):
        def forward(self, x, y):
            return x + y, x * 3, torch.div(x, y, rounding_mode="floor"), x // 2, x % 3, x.to(torch.float32) / 7, x & 5

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
            self.norm = nn.LayerNorm(8)

        def forward(self, x):
            return self.norm(x + self.attention(x, x, x, need_weights=False)[0])

    class Branch(nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))

    conv = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, groups=8),
                         nn.Hardswish(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4), nn.Sigmoid()).eval()
    transposed = nn.Sequential(nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), nn.PixelShuffle(2), nn.GELU()).eval()
    batch = torch.export.Dim("batch", min=1, max=8)
    mlp = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)).eval()
    r = torch.randn
    return {
        "conv": (conv, (r(1, 3, 20, 20),), {}),
        "transposed": (transposed, (r(1, 3, 5, 6),), {}),
        "softmax": (Softmax(), (r(4, 7),), {}),
        "index": (Index(), (r(4, 4), torch.tensor([3, 0])), {}),
        "lstm": (Recurrent(), (r(2, 3, 5),), {}),
        "dynamic": (mlp, (r(3, 6),), {"dynamic_shapes": ({0: batch},)}),
        "reduce": (Reduce(), (r(2, 3, 4),), {}),
        "state": (Counter(), (r(3),), {}),
        "integers": (Integers(), (torch.tensor([7, -7, 5]), torch.tensor([2, 2, -3])), {}),
        "attention": (Attention().eval(), (r(1, 5, 8),), {}),
        "branch": (Branch(), (r(3, 2),), {}),
        "half": (nn.Sequential(nn.Linear(8, 8), nn.ReLU()).half().eval(), (r(2, 8).half(),), {}),
        "embedding": (nn.Sequential(nn.Embedding(10, 4), nn.GroupNorm(1, 3)).eval(), (torch.tensor([[1, 2, 9]]),), {}),
        "resize": (nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.ReflectionPad2d(1)), (r(1, 2, 3, 4),), {}),
    }


def same(got, want, where):
    """What is wrong, or nothing."""
    import torch
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{where} is {got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}"
    if not want.is_floating_point():
        return None if torch.equal(got, want) else f"{where} differs"
    got, half = got.double(), want.dtype in (torch.float16, torch.bfloat16)
    want = want.double()
    finite = want.isfinite()
    if not torch.equal(got.isfinite(), finite):
        return f"{where} is not finite at the same positions"
    largest = float(want[finite].abs().max()) if finite.any() else 0.0
    error = float((got - want)[finite].abs().max()) if finite.any() else 0.0
    return None if error <= (4e-3 if half else 2e-5) * max(largest, 1e-30) else f"{where} is off by {error:.3g} of {largest:.3g}"


def compare(got, want):
    if len(got) < len(want):
        return f"{len(got)} outputs, not {len(want)}"
    return next((e for i, (g, w) in enumerate(zip(got, want)) if (e := same(g, w, f"output {i}"))), None)


def ours_on_stock(corpus, name, glint, work):
    """The compiled archive on the stock runtime; rows that name the same file are calls of one session."""
    from executorch.runtime import Runtime, Verification
    from safetensors.torch import load_file
    with open(os.path.join(corpus, "index.jsonl")) as index:
        rows = [row for row in map(json.loads, index) if row["file"] == name]
    tensors = load_file(os.path.join(corpus, "tensors.safetensors"))
    program = os.path.join(work, "ours.pte")
    value = lambda k: tensors[k] if isinstance(k, str) else k
    made = subprocess.run([glint, "compile", os.path.join(corpus, name), "-o", program, "--target=portable"], capture_output=True, text=True)
    if made.returncode != 0:
        return "refused", (made.stderr or made.stdout).strip()
    method = Runtime.get().load_program(program, verification=Verification.Minimal).load_method("forward")
    for row in rows:
        got = method.execute([value(k) for k in row["inputs"]])
        error = compare([g for g in got if hasattr(g, "dtype")], [tensors[k] for k in row["outputs"] if isinstance(k, str)])
        if error:
            return "failed", error
    return "passed", ""


def stock_on_ours(name, glint, work, keep):
    import copy
    import torch
    from executorch.exir import to_edge
    from safetensors.torch import load_file, save_file
    torch.manual_seed(0)
    module, inputs, options = modules()[name]
    with torch.no_grad():
        exported = torch.export.export(copy.deepcopy(module), inputs, strict=False, **options)
        stock = to_edge(exported).to_executorch().buffer
        program = os.path.join(work, "stock.pte")
        with open(program, "wb") as out:
            out.write(stock)
        if keep:
            os.makedirs(keep, exist_ok=True)
            shutil.copy(program, os.path.join(keep, name + ".pte"))
        calls = [inputs]
        if name == "dynamic":
            calls += [(torch.randn(n, 6),) for n in (1, 8)]
        if name == "branch":
            calls += [(-inputs[0].abs(),), (inputs[0].abs(),)]
        for call in calls:
            want = module(*call)
            save_file({f"input{i}": t.contiguous() for i, t in enumerate(call)}, os.path.join(work, "in.safetensors"))
            ran = subprocess.run([glint, "run", program, "--input", os.path.join(work, "in.safetensors"), "--output", os.path.join(work, "out.safetensors")],
                                 capture_output=True, text=True)
            if ran.returncode != 0:
                return "failed", (ran.stderr or ran.stdout).strip()
            out = load_file(os.path.join(work, "out.safetensors"))
            error = compare([out[f"output{i}"] for i in range(len(out))], list(want) if isinstance(want, tuple) else [want])
            if error:
                return "failed", error
    return "passed", ""


def one_case(case, args):
    """In a process of its own: the last line says how it went."""
    with tempfile.TemporaryDirectory() as work:
        if case[0] == "ours":
            verdict, why = ours_on_stock(case[1], case[2], args.glint, work)
        else:
            verdict, why = stock_on_ours(case[1], args.glint, work, args.write_stock)
    print(json.dumps({"verdict": verdict, "why": why}))


def run_case(case, args):
    command = [sys.executable, os.path.abspath(__file__), "--glint", args.glint, "--case", *case]
    if args.write_stock:
        command += ["--write-stock", args.write_stock]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    try:
        result = json.loads(done.stdout.strip().splitlines()[-1])
        return result["verdict"], result["why"]
    except (IndexError, ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return "failed", f"the process ended with {done.returncode}: {last}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", nargs="*", help="folders of recorded archives")
    parser.add_argument("--glint", required=True)
    parser.add_argument("--write-stock", help="keep the stock programs in this folder")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--case", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.case:
        return one_case(args.case, args)
    try:
        import executorch  # noqa: F401
    except ImportError:
        print("skipped: no executorch package for this Python")
        return 77
    cases = []
    for corpus in args.corpora or [os.path.join(DATA, c) for c in CORPORA]:
        with open(os.path.join(corpus, "index.jsonl")) as index:
            files = [json.loads(row)["file"] for row in index]
            cases += [("ours", corpus, name) for name in dict.fromkeys(f for f in files if isinstance(f, str))]  # not: several methods
    cases += [("stock", name) for name in modules()]
    counts = {"passed": 0, "failed": 0, "refused": 0}
    for case in cases:
        label = f"{case[0]} {os.path.basename(case[1])}" + (f"/{case[2]}" if len(case) > 2 else "")
        if args.only not in label:
            continue
        verdict, why = run_case(case, args)
        counts[verdict] += 1
        if verdict != "passed":
            print(f"{verdict} {label}: {why}", flush=True)
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
