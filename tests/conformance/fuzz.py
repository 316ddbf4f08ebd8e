"""Calls every operator of Glint with drawn arguments, as eager PyTorch does, and compares.

    python fuzz.py --glint build/release/bin/glint --out /tmp/fuzz --check [--overloads REGEX] [--draws N] [--seed S]

For each overload that `glint ops --json` lists and PyTorch has, OUT/NAME.jsonl and OUT/NAME.safetensors hold N calls in the format of
op_corpus_test. A call that PyTorch refuses is recorded with "raises": Glint may refuse it or not, but has to survive it. --check runs
op_corpus_test (beside glint) on them. A difference in a float result that the call itself explains - PyTorch's own error against
float64, or what a change of the operands by one rounding does to the result - is none: see `slack`. OUT/report.json has the counts,
OUT/failures.jsonl + .safetensors the calls that differ; --merge STEM adds these to a file of rows. Needs torch and safetensors.
"""
import argparse
import collections
import json
import mmap
import os
import re
import signal
import subprocess
import sys
import time
import warnings

import torch
from safetensors.torch import load_file, save_file

from draws import DTYPES, MAX_NUMEL, Draw

# Not drawn, with the reason.
SKIPPED = [
    (r"aten::(bernoulli|binomial|cauchy|exponential|geometric|log_normal|multinomial|normal|normal_functional|poisson|rand|rand_like|randint|randint_like|randn|randn_like|random|randperm"
     r"|uniform|_sample_dirichlet|_standard_gamma|native_dropout|rrelu_with_noise_functional)(\..*)?", "random: recorded with seeds elsewhere"),
    (r"(?!aten::).*", "not an operator of PyTorch"),
]
# Results that PyTorch leaves open: only dtype and sizes are compared.
UNSET = r"(new_)?empty(_like|_strided)?(\..*)?"
HALVES = (torch.float16, torch.bfloat16)
# Factors that are free up to signs (or phases): op_corpus_test multiplies them and compares with the operand.
UP_TO_SIGNS = {"aten::_linalg_eigh": "eigh", "aten::_linalg_svd": "svd"}
# Results that step where operands change by one rounding: these get no slack.
STEPS = r"(ceil|floor|round|trunc|frac|sign|sgn|signbit|nextafter|heaviside|fmod|remainder|floor_divide|div)(\..*)?"
MAX_CALLS = 30  # of PyTorch for each draw wanted
SECONDS = 60    # for one overload


class Unrecordable(Exception):
    pass


class Rows:
    """Rows and the tensors that they name."""

    def __init__(self):
        self.rows, self.tensors, self.pending = [], {}, {}

    def tensor(self, t):
        if t.layout != torch.strided or t.numel() > 4 * MAX_NUMEL or (t.is_complex() and t.dtype not in (torch.complex64, torch.complex128)): raise Unrecordable()
        t = t.detach().resolve_conj().resolve_neg()
        key = str(len(self.tensors) + len(self.pending))
        row = {"tensor": key}
        if not t.is_contiguous(): row["strides"] = list(t.stride())
        if t.is_complex():
            row["complex"] = True
            t = torch.view_as_real(t.contiguous())
        self.pending[key] = t.clone(memory_format=torch.contiguous_format).reshape(t.shape)
        return row

    def encode(self, a):
        if a is None: return None
        if isinstance(a, torch.Tensor): return self.tensor(a)
        if isinstance(a, bool): return {"bool": a}
        if isinstance(a, int): return {"int": a}
        if isinstance(a, float): return {"float": a if a == a and abs(a) != float("inf") else str(a)}
        if isinstance(a, str): return {"str": a}
        if isinstance(a, torch.dtype): return {"dtype": str(a)[6:]}
        if isinstance(a, torch.memory_format): return {"memory_format": str(a)[6:]}
        if isinstance(a, (list, tuple)): return {"list": [self.encode(x) for x in a]}
        raise Unrecordable()

    def add(self, op, args, kwargs, results, **more):
        self.pending = {}
        row = {"op": op, "args": self.encode(args)["list"], "kwargs": {n: self.encode(v) for n, v in kwargs.items()}}
        if results is None: row["out"] = None
        elif isinstance(results, (list, tuple)): row["out"] = {"list": [self.encode(x) for x in results]}
        else: row["out"] = {"list": [self.encode(results)]}
        row.update(more)
        self.tensors.update(self.pending)
        self.rows.append(row)

    def adopt(self, row, tensors):
        """A row of another file."""
        def rename(v):
            if isinstance(v, list): return [rename(x) for x in v]
            if not isinstance(v, dict): return v
            if "tensor" not in v: return {n: rename(x) for n, x in v.items()}
            key = str(len(self.tensors))
            self.tensors[key] = tensors[v["tensor"]]
            return {**v, "tensor": key}
        self.rows.append(rename(row))

    def write(self, stem):
        with open(stem + ".jsonl", "w") as f:
            for row in self.rows: f.write(json.dumps(row) + "\n")
        save_file(self.tensors or {"none": torch.zeros(0)}, stem + ".safetensors")


def read(stem):
    """Rows and tensors of a file; the tensors in memory of their own, aligned as PyTorch wants it."""
    with open(stem + ".jsonl") as f: return [json.loads(line) for line in f], {k: t.clone() for k, t in load_file(stem + ".safetensors").items()}


def decode(a, tensors):
    if a is None: return None
    if "tensor" in a:
        t = tensors[a["tensor"]]
        if a.get("complex"): t = torch.view_as_complex(t)
        if "strides" not in a: return t
        out = torch.zeros(1 + sum((n - 1) * s for n, s in zip(t.shape, a["strides"])) if t.numel() else 0, dtype=t.dtype).as_strided(t.shape, a["strides"])
        if any(s == 0 and n > 1 for n, s in zip(t.shape, a["strides"])): return t
        return out.copy_(t)
    if "list" in a: return [decode(x, tensors) for x in a["list"]]
    kind, v = next(iter(a.items()))
    return getattr(torch, v) if kind in ("dtype", "memory_format") else float(v) if kind == "float" else v


def operator(name):
    """torch.ops.aten's overload of "aten::base.overload", or None."""
    base, _, overload = name.split("::")[1].partition(".")
    packet = getattr(torch.ops.aten, base, None)
    return getattr(packet, overload or "default", None) if packet is not None else None


def tensors_of(a):
    if isinstance(a, torch.Tensor): return [a]
    return [t for x in a for t in tensors_of(x)] if isinstance(a, (list, tuple)) else []


class Timeout(Exception):
    pass


def out_of_time(*_):
    raise Timeout()


def record(op, name, draws, seed, stem, deadly, at):
    """Writes the calls of one overload; returns counts. `deadly`: numbers of draws that end PyTorch's process; `at`: the present one."""
    schema, rows = op._schema, Rows()
    label = name.split("::")[1] if "." in name else name.split("::")[1] + ".default"
    works = {d: [1, 1] for d in DTYPES}  # legal and all calls by dtype
    counts, reasons, proven = collections.Counter(), collections.Counter(), set()
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(SECONDS)
    try:
        while counts["legal"] < draws and counts["calls"] < draws * MAX_CALLS:
            counts["calls"] += 1
            if counts["calls"] in deadly: continue
            at[:8] = counts["calls"].to_bytes(8, "little")
            picker = Draw(seed * 1000003 + counts["calls"], schema, torch.float32)
            dtype = picker.r.choices(DTYPES, [(good / n) ** 2 + 0.002 for good, n in works.values()])[0]
            d = Draw(seed * 1000003 + counts["calls"], schema, dtype)
            works[dtype][1] += 1
            try:
                given = d.arguments()
            except Timeout: raise
            except Exception as e:  # a drawn operand needs a call that PyTorch refuses
                counts["not drawn"] += 1
                reasons["draw: " + str(e).split("\n")[0][:90]] += 1
                continue
            if given.get("dtype") in HALVES and d.kind in ("wide", "special") and not d.dtype.is_floating_point:
                counts["overflow"] += 1  # PyTorch converts to the half type first
                continue
            args, kwargs = [], {}
            for arg in schema.arguments:
                if arg.name not in given and not arg.kwarg_only: given[arg.name] = arg.default_value
                if arg.kwarg_only and arg.name in given: kwargs[arg.name] = given[arg.name]
                elif not arg.kwarg_only: args.append(given[arg.name])
            if "memory_format" in kwargs and kwargs["memory_format"] is None: kwargs.pop("memory_format")
            try:
                keep = Rows()
                keep.encode([args, list(kwargs.values())])  # operands as they were before the call
            except Unrecordable:
                counts["not recordable"] += 1
                continue
            try:
                results = op(*args, **kwargs)
            except Timeout: raise
            except Exception as e:
                counts["refused"] += 1
                reasons[str(e).split("\n")[0][:90]] += 1
                if counts["raises kept"] < draws // 4:
                    counts["raises kept"] += 1
                    rows.add(label, args, kwargs, None, raises=True)
                continue
            kind = (d.dtype, given.get("dtype"), given.get("reduce"))
            if kind not in proven and tensors_of(results) and (all(t.numel() == 0 for t in tensors_of(results)) or d.dtype.is_complex and all(t.numel() <= 1 for t in tensors_of(args))):
                counts["empty"] += 1  # kernels that refuse a dtype let it pass when there is nothing to compute or order
                continue
            proven.add(kind)
            if isinstance(results, tuple) and "output_mask" in given:  # what is not asked for is undefined
                results = tuple(t if wanted else None for t, wanted in zip(results, given["output_mask"]))
            try:
                more = {"unset": True} if re.fullmatch(UNSET, name.split("::")[1]) else {}
                if name in UP_TO_SIGNS: more["factors"] = UP_TO_SIGNS[name]
                rows.add(label, args, kwargs, results, **more)
            except Unrecordable:
                counts["not recordable"] += 1
                continue
            works[dtype][0] += 1
            counts["legal"] += 1
    except Timeout:
        counts["out of time"] = 1
    signal.alarm(0)
    rows.write(stem)
    return dict(counts), reasons.most_common(3)


def isolated(work, *args):
    """work(*args) in a child, so that an abort inside PyTorch ends only that."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, json.dumps(work(*args)).encode()[:60000])
        except BaseException as e:
            os.write(writer, json.dumps({"error": repr(e)[:300]}).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as f: text = f.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


def recorded(op, name, draws, seed, stem):
    """`record`, whatever happens to PyTorch: it is asked again without the draws that end its process."""
    at, deadly = mmap.mmap(-1, 8), []
    while len(deadly) < 40:
        made = isolated(record, op, name, draws, seed, stem, deadly, at)
        if made is not None: break
        deadly.append(int.from_bytes(at[:8], "little"))
    if isinstance(made, list): made[0]["PyTorch dies"] = len(deadly)
    return made or {"error": "PyTorch dies again and again"}


def exact_functions():
    """Special functions to 30 digits, where PyTorch's own float64 is not the measure."""
    import mpmath as m
    m.mp.dps = 30
    return {
        "special_airy_ai": m.airyai, "special_bessel_j0": lambda x: m.besselj(0, x), "special_bessel_j1": lambda x: m.besselj(1, x),
        "special_bessel_y0": lambda x: m.bessely(0, x), "special_bessel_y1": lambda x: m.bessely(1, x),
        "special_modified_bessel_i0": lambda x: m.besseli(0, x), "special_modified_bessel_i1": lambda x: m.besseli(1, x), "i0": lambda x: m.besseli(0, x),
        "special_i1": lambda x: m.besseli(1, x), "special_i0e": lambda x: m.exp(-abs(x)) * m.besseli(0, x), "special_i1e": lambda x: m.exp(-abs(x)) * m.besseli(1, x),
        "special_modified_bessel_k0": lambda x: m.besselk(0, x), "special_modified_bessel_k1": lambda x: m.besselk(1, x),
        "special_scaled_modified_bessel_k0": lambda x: m.exp(x) * m.besselk(0, x), "special_scaled_modified_bessel_k1": lambda x: m.exp(x) * m.besselk(1, x),
        "special_spherical_bessel_j0": lambda x: m.sin(x) / x if x else m.mpf(1), "igamma": lambda a, x: m.gammainc(a, 0, x, regularized=True),
        "igammac": lambda a, x: m.gammainc(a, x, m.inf, regularized=True), "special_zeta": lambda x, q: m.zeta(x, q), "special_erfcx": lambda x: m.exp(x * x) * m.erfc(x),
        "special_log_ndtr": lambda x: m.log(m.ncdf(x)) if x < 5 else m.log1p(-m.ncdf(-x)), "digamma": m.digamma, "lgamma": lambda x: m.log(abs(m.gamma(x))),
        "erfinv": m.erfinv, "special_gammainc": lambda a, x: m.gammainc(a, 0, x, regularized=True), "special_gammaincc": lambda a, x: m.gammainc(a, x, m.inf, regularized=True),
    }


def exactly(fn, args, want):
    """fn of each element; `want` where that is not finite or the function fails."""
    args = [x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in args]
    out = want.double().clone().reshape(-1)
    columns = [x.double().broadcast_to(want.shape).reshape(-1).tolist() for x in args]
    for i, v in enumerate(out.tolist()):
        if v - v != 0: continue
        try:
            out[i] = float(fn(*(column[i] for column in columns)))
        except Exception:
            pass
    return out.reshape(want.shape)


def widened(a):
    if isinstance(a, torch.Tensor): return a.to(torch.complex128) if a.is_complex() else a.double() if a.is_floating_point() else a
    return [widened(x) for x in a] if isinstance(a, list) else torch.float64 if a in (torch.float32, torch.float16, torch.bfloat16) else a


def nudged(a, g):
    """Floats changed by at most one rounding of their dtype."""
    if isinstance(a, torch.Tensor) and (a.is_floating_point() or a.is_complex()) and a.numel():
        eps = torch.finfo(a.dtype).eps
        noise = torch.rand(a.shape, generator=g, dtype=torch.float64) * 2 - 1
        return widened(a) * (1 + eps * noise)
    return [nudged(x, g) for x in a] if isinstance(a, list) else widened(a)


def slack(row, tensors):
    """For each result: how far another correct implementation may be from PyTorch's, beyond the usual tolerance."""
    op = operator("aten::" + row["op"].removesuffix(".default"))
    args, kwargs = [decode(a, tensors) for a in row["args"]], {n: decode(a, tensors) for n, a in row["kwargs"].items()}
    want = [decode(a, tensors) for a in row["out"]["list"]]
    g = torch.Generator().manual_seed(1)
    base = row["op"].split(".")[0]
    if want and isinstance(want[0], torch.Tensor) and want[0].is_floating_point() and (base.startswith("special_") or base == "logsumexp" or base in exact_functions()):
        as_float = lambda a: a.float() if isinstance(a, torch.Tensor) and not a.is_floating_point() and not a.is_complex() else a
        args = [as_float(a) for a in args]
    listed = lambda r: list(r) if isinstance(r, (list, tuple)) else [r]
    try:
        exact = listed(op(*[widened(a) for a in args], **{n: widened(a) for n, a in kwargs.items()}))
        if base in exact_functions(): exact = [exactly(exact_functions()[base], args, want[0])]
        moved = [listed(op(*[nudged(a, g) for a in args], **{n: nudged(a, g) for n, a in kwargs.items()})) for _ in range(6)]
    except Exception:
        return None
    out = []
    for i, w in enumerate(want):
        if not isinstance(w, torch.Tensor) or not (w.is_floating_point() or w.is_complex()) or not w.numel():
            out.append(0.0)
            continue
        off = lambda other: torch.nan_to_num((widened(other) - widened(exact[i])).abs(), 0, 0, 0).max().item() if other.shape == exact[i].shape else 0.0
        lengths = 16 * max(w.shape) if "linalg" in base and w.dim() else 8  # of chains of roundings
        out.append(2 * off(w) + lengths * max(off(m[i]) for m in moved))
    return out


def run_test(test, stem, *more):
    """Lines that failed, lines that were refused (line number -> why), and whether it crashed."""
    p = subprocess.run([test, "--corpus", stem + ".jsonl", "--verbose", *more], capture_output=True, text=True, errors="replace")
    failed, refused = {}, {}
    for m in re.finditer(r"^line (\d+) (FAILED|refused) \S+: (.*)$", p.stdout, re.M): (failed if m[2] == "FAILED" else refused)[int(m[1])] = m[3]
    return failed, refused, p.returncode not in (0, 1)


def check(test, stem):
    """Runs the rows of one overload; rows that the call's own condition explains get their slack and pass."""
    rows, tensors = read(stem)
    failed, refused, crashed = run_test(test, stem)
    if crashed:
        for line in range(1, len(rows) + 1):
            _, _, crash = run_test(test, stem, "--line", str(line))
            if crash: failed[line] = "CRASH"
    given = 0
    for line in [n for n, why in failed.items() if " off by " in why]:
        if re.fullmatch(STEPS, rows[line - 1]["op"].removesuffix(".default")): continue
        s = isolated(slack, rows[line - 1], tensors)
        if isinstance(s, list) and any(s):
            rows[line - 1]["slack"] = s
            given += 1
    if given:
        with open(stem + ".jsonl", "w") as f:
            for row in rows: f.write(json.dumps(row) + "\n")
        again, refused, _ = run_test(test, stem)
        failed = {**again, **{n: why for n, why in failed.items() if why == "CRASH"}}
    return failed, refused


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--glint", default="build/release/bin/glint")
    p.add_argument("--out", required=True)
    p.add_argument("--overloads", default="", help="regular expression, searched in aten::name.overload")
    p.add_argument("--draws", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--check", action="store_true")
    p.add_argument("--composites", action="store_true", help="the operators that the compiler takes apart instead")
    p.add_argument("--recheck", action="store_true", help="the rows are already there")
    p.add_argument("--verbose", action="store_true", help="show differences")
    p.add_argument("--merge", metavar="STEM", help="add differing calls to STEM.jsonl and STEM.safetensors")
    p.add_argument("--all", action="store_true", help="with --merge: all calls, not only those that differ")
    p.add_argument("--merge-each", type=int, default=2, help="at most that many an overload")
    a = p.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    os.makedirs(a.out, exist_ok=True)
    test = os.path.join(os.path.dirname(a.glint), "composite_corpus_test" if a.composites else "op_corpus_test")
    listed = json.loads(subprocess.check_output([a.glint, "ops", "--json"] + ["--composites"] * a.composites))
    names = [r["name"] for r in listed if not a.composites or r["stock"] == "(composite)"]
    report, failures, total = {}, Rows(), collections.Counter()
    for name in names:
        if not re.search(a.overloads, name): continue
        why = next((w for pattern, w in SKIPPED if re.fullmatch(pattern, name)), None)
        op = operator(name)
        if why is None and op is None: why = "PyTorch has no such overload"
        if why is not None:
            report[name] = {"skipped": why}
            continue
        total["overloads"] += 1
        stem = os.path.join(a.out, name.replace("::", "."))
        started = time.time()
        if not a.recheck:
            made = recorded(op, name, a.draws, a.seed, stem)
            if isinstance(made, dict):
                report[name] = made
                print(f"{name:60} {made['error']}", flush=True)
                continue
            counts, reasons = made
        else:
            rows, _ = read(stem)
            counts, reasons = {"legal": sum("raises" not in r for r in rows)}, []
        report[name] = {**counts, "reasons": reasons}
        total["draws"] += counts.get("legal", 0)
        short = counts.get("legal", 0) < a.draws
        total["short of draws"] += short
        line = f"{name:60} {counts.get('legal', 0):5} legal of {counts.get('calls', 0)}"
        failed, refused = {}, {}
        if a.check or a.recheck:
            failed, refused = check(test, stem)
            rows, tensors = read(stem)
            refused = {n: why for n, why in refused.items() if "raises" not in rows[n - 1]}
            report[name].update(differ=len(failed), refused=len(refused))
            total["differ"] += len(failed)
            total["refused"] += len(refused)
            total["overloads that differ"] += bool(failed)
            total["overloads that refuse"] += bool(refused)
            line += f", {len(failed)} differ, {len(refused)} refused"
            chosen = range(1, len(rows) + 1) if a.all else failed
            for n in list(chosen)[:a.merge_each]: failures.adopt(rows[n - 1], tensors)
            if a.verbose:
                kinds = collections.Counter()
                for n, w in [*failed.items(), *refused.items()]:
                    kinds[re.sub(r"[-\d.]+(e[-+]?\d+)?", "#", w)] += 1
                    if kinds[re.sub(r"[-\d.]+(e[-+]?\d+)?", "#", w)] > 2: continue
                    line += f"\n    line {n}: {w}\n        {json.dumps(rows[n - 1])[:300]}\n        " + " ".join(
                        str(tensors[x["tensor"]].dtype)[6:] + str(list(tensors[x["tensor"]].shape)) for x in rows[n - 1]["args"] if x and "tensor" in x)
        if short: line += "   SHORT: " + "; ".join(f"{n} x {w}" for w, n in reasons)
        if time.time() - started > 20: line += f"   {time.time() - started:.0f} s"
        if short or failed or refused or a.overloads: print(line, flush=True)
    json.dump(report, open(os.path.join(a.out, "report.json"), "w"), indent=1)
    failures.write(os.path.join(a.out, "failures"))
    if a.merge:
        merged = Rows()
        if os.path.exists(a.merge + ".jsonl"):
            rows, tensors = read(a.merge)
            for row in rows: merged.adopt(row, tensors)
        for row in failures.rows: merged.adopt(row, failures.tensors)
        merged.write(a.merge)
    print(", ".join(f"{n} {w}" for w, n in total.items()))
    return 1 if total["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
