"""What glint and stock ExecuTorch make of public models: random weights, exported by PyTorch, compiled, run, compared with PyTorch.

    python zoo.py --glint build/release/bin/glint [--only PART] [--target portable] [--page docs/model-coverage.md]
    python zoo.py --system stock [--only PART] [--sample 200]

Every model has a process of its own and a time-out. Results go to a file of JSON lines, glint.jsonl or stock.jsonl beside this
script; models that are in it are not tried again, unless --retry names their verdict ("wrong", "refused", ...). --page writes the
table of all results of both files; with --only and a word that no model has in its name, nothing is run before.

    right         outputs as PyTorch's: floats within 1e-3 of the largest value, all else exactly
    wrong         other outputs
    refused       the compiler says what it cannot do
    fails         a crash or an error while running
    time-out      compiling or running takes too long, or more memory than allowed
    export fails  PyTorch cannot export the model with these inputs
    left out      not tried: too large, or its library does not build it

Needs torch, safetensors, torchvision, transformers and timm; torchaudio for some examples, executorch for others and --system stock.
"""

import argparse
import hashlib
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import torch
from safetensors.torch import load_file, save_file

import catalogue

SEED = 7  # for models that draw random numbers

# Error allowed, relative to the largest value, by variant: a step of a quantized grid is much larger than a rounding error,
# and so is another expert of a mixture, which a tie of float16 scores may choose.
TOLERANCE = {"bf16": 5e-2, "f16": 2e-2, "int8": 5e-2, "int8-dynamic": 5e-2, "int4-grouped": 5e-2}


def tolerance(name):
    return TOLERANCE.get(name.partition("@")[2], 1e-3)


# Peak memory counts from the fork on, so a small process starts the command, not this one.
LAUNCHER = """
import json, resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as out:
    json.dump([status, time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024], out)
"""


def measured(command, limit_s):
    """Runs a command: (exit status, stdout, stderr, seconds, peak bytes)."""
    with tempfile.NamedTemporaryFile() as usage:
        done = subprocess.run(
            [sys.executable, "-S", "-c", LAUNCHER, usage.name, "timeout", "-s", "KILL", str(limit_s), *command], capture_output=True
        )
        status, seconds, peak = json.load(usage)
        return status, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), seconds, peak


def difference(got, want, allowed):
    """(error relative to the largest value, what is wrong or "")."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return None, f"is {got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}"
    if not (want.is_floating_point() or want.is_complex()):
        return 0.0, "" if torch.equal(got, want) else f"differs in {int((got != want).sum())} of {want.numel()} places"
    finite = want.isfinite()
    if not torch.equal(got.isfinite(), finite):
        return None, "is not finite at the same positions"
    if not finite.any():
        return 0.0, ""
    got, want = got[finite], want[finite]
    wide = torch.complex128 if want.is_complex() else torch.float64
    error, largest = float((got.to(wide) - want.to(wide)).abs().max()), float(want.abs().max())
    relative = error / max(largest, 1e-30)
    return relative, "" if relative <= allowed else f"is off by {relative:.2g} of the largest value"


def compare(got, want, allowed=1e-3):
    """The largest relative error and the first complaint."""
    errors, why = [0.0], "" if len(got) == len(want) else f"{len(got)} outputs, not {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        error, complaint = difference(g, w, allowed)
        if error is not None:
            errors.append(error)
        if complaint and not why:
            why = f"output {i} {complaint}"
    return max(errors), why


def first_line(text):
    return next((line.strip() for line in text.strip().splitlines() if line.strip()), "no message")


def eager_ms(model, inputs):
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        model(*inputs)
        best = min(best, 1000 * (time.perf_counter() - start))
        if best > 10_000:  # float16 on a processor without it
            break
    return best


def one_model(name, args):
    """The row of a model."""
    torch.manual_seed(0)
    row = {"name": name, "target": args.target}
    try:
        model, inputs, run_inputs, options = catalogue.build(name)
    except catalogue.LeftOut as e:
        return {**row, "verdict": "left out", "why": str(e)}
    except Exception as e:
        return {**row, "verdict": "left out", "why": f"is not built: {type(e).__name__}: {first_line(str(e))}"}
    row["parameters"] = sum(p.numel() for p in model.parameters())
    with torch.no_grad(), tempfile.TemporaryDirectory() as work:
        if args.keep:
            work = os.path.join(args.keep, name.replace("/", "_"))
            os.makedirs(work, exist_ok=True)
        try:
            torch.manual_seed(SEED)
            want = model(*run_inputs)
            row["eager_ms"] = eager_ms(model, run_inputs)
        except Exception as e:
            return {**row, "verdict": "left out", "why": f"does not run: {type(e).__name__}: {first_line(str(e))}"}
        try:
            program = torch.export.export(model, inputs, strict=False, **options)
        except Exception as e:
            return {**row, "verdict": "export fails", "why": f"{type(e).__name__}: {first_line(str(e))}"}
        want = list(want) if isinstance(want, (tuple, list)) else [want]
        got = {"glint": glint_outputs, "stock": stock_outputs}[args.system](program, run_inputs, want, row, work, args)
        if got is None:
            return row
        row["error"], why = compare(got, want, tolerance(name))
        if why and (noise := rounding(model, run_inputs, want)) > tolerance(name) / 2:
            return {
                **row,
                "verdict": "left out",
                "why": f"rounding decides: it moves PyTorch's own outputs by {noise:.2g}, {args.system} is off by {row['error']:.2g}",
            }
    return {**row, "verdict": "wrong" if why else "right", "why": why}


def glint_outputs(program, inputs, want, row, work, args):
    """What `glint compile` and `glint run` give; None and the verdict in the row if they do not."""
    path = lambda name: os.path.join(work, name)
    try:
        torch.export.save(program, path("model.pt2"))
    except Exception as e:
        return row.update(verdict="export fails", why=f"{type(e).__name__}: {first_line(str(e))}")
    save_file({f"input{i}": t.contiguous().clone() for i, t in enumerate(inputs)}, path("in.safetensors"))
    if args.keep:
        save_file({f"output{i}": t.contiguous().clone() for i, t in enumerate(want)}, path("want.safetensors"))
    status, _, err, row["compile_s"], row["compile_bytes"] = measured(
        [args.glint, "compile", path("model.pt2"), "-o", path("model.pte"), f"--target={args.target}"], args.limit
    )
    if status == 1:
        return row.update(verdict="refused", why=err.strip().replace(path("model.pt2") + ": ", ""))
    if status != 0:
        return row.update(verdict="time-out" if status == 137 else "fails", why=f"compile ends with {status}: {first_line(err)}")
    files = ["--input", path("in.safetensors"), "--output", path("out.safetensors")]
    status, out, err, _, row["run_bytes"] = measured(
        [args.glint, "run", path("model.pte"), *files, "--json", f"--seed={SEED}"], args.limit
    )
    if status != 0:
        return row.update(verdict="fails", why=f"run ends with {status}: {err.strip().replace(work + '/', '')}")
    row["run_ms"] = json.loads(out)["ms"]
    got = load_file(path("out.safetensors"))
    return [got[f"output{i}"] for i in range(len(got))]


def stock_outputs(program, inputs, want, row, work, args):
    """What stock ExecuTorch gives: its XNNPACK backend takes what it can, portable kernels the rest."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower
    from executorch.runtime import Runtime

    # Seconds of the processor, so that a busy machine does not decide. What is over ends this process; in_process sees it.
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + STOCK_SECONDS,) * 2)
    row["compile_bytes"] = 0
    start = time.monotonic()
    try:
        lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()]).to_executorch()
        row["compile_s"] = time.monotonic() - start
        buffer = lowered.buffer
    except Exception as e:
        return row.update(verdict="refused", why=f"{type(e).__name__}: {first_line(str(e))}")
    finally:
        row["compile_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    del program, lowered
    try:
        method = Runtime.get().load_program(buffer).load_method("forward")
        start = time.monotonic()
        got = method.execute([t.contiguous() for t in inputs])
        row["run_ms"] = 1000 * (time.monotonic() - start)
    except Exception as e:
        return row.update(verdict="fails", why=f"{type(e).__name__}: {first_line(str(e))}")
    return list(got)


def rounding(model, inputs, want):
    """What rounding does to PyTorch's own outputs: its difference from float64 or, where it cannot compute that or steps of a
    grid are exported, from the same model with parameters that differ in the last bits."""
    outputs = lambda inputs: (lambda out: list(out) if isinstance(out, (tuple, list)) else [out])(model(*inputs))
    noise = 0.0
    for _ in range(3):
        for t in [*model.parameters(), *model.buffers()]:
            if t.is_floating_point():
                t.mul_(1 + torch.finfo(t.dtype).eps * torch.randn_like(t))
        noise = max(noise, compare(outputs(inputs), want)[0])
    if "quantize" in getattr(model, "code", ""):
        return noise
    try:
        wide = [x.double() if x.is_floating_point() else x for x in inputs]
        return max(noise, compare(want, [w.to(v.dtype) for w, v in zip((model.double(), outputs(wide))[1], want)])[0])
    except Exception:
        return noise


STOCK_SECONDS, STOCK_BYTES = 300, 12 << 30


def resident_bytes(process):
    try:
        with open(f"/proc/{process}/statm") as f:
            return int(f.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def in_process(name, args):
    """one_model in a process made by fork, which has the libraries already."""
    row = {"name": name, "target": args.target}
    stock = args.system == "stock"
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = os.fork()
        if process == 0:
            os.setsid()
            os.dup2(err.fileno(), 2)
            json.dump(one_model(name, args), out)
            out.flush()
            os._exit(0)
        deadline = time.monotonic() + (4 * STOCK_SECONDS if stock else 3 * args.limit)
        over = ""
        while (done := os.waitpid(process, os.WNOHANG)) == (0, 0) and not over:
            time.sleep(0.02)
            if time.monotonic() > deadline:
                over = "takes too long"
            elif stock and resident_bytes(process) > STOCK_BYTES:
                over = f"takes more than {STOCK_BYTES >> 30} GiB"
        if done == (0, 0):
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return {**row, "verdict": "time-out", "why": over} if stock else {**row, "verdict": "left out", "why": over + " to build and export"}
        out.seek(0), err.seek(0)
        text = out.read()
        if text:
            return json.loads(text)
        if stock and done[1] in (signal.SIGXCPU, signal.SIGKILL):
            return {**row, "verdict": "time-out", "why": f"takes more than {STOCK_SECONDS // 60} minutes"}
        last = (err.read().strip().splitlines() or ["no message"])[-1]
        return {**row, "verdict": "fails" if stock else "left out", "why": f"its process ended with {done[1]}: {last[:200]}"}


def compact(row):
    """A row as it is kept: numbers with the digits that mean something."""
    digits = {"eager_ms": 4, "run_ms": 4, "compile_s": 3, "error": 3, "compile_bytes": 3, "run_bytes": 3}
    number = lambda k, v: int(float(f"{v:.3g}")) if k.endswith("bytes") else float(f"{v:.{digits[k]}g}")
    return {k: number(k, v) if k in digits else v[:300] if k == "why" else v for k, v in row.items()}


def read_results(path):
    """The last result of each model and target."""
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return {(r["name"], r["target"]): r for r in map(json.loads, f)}


def sampled(names, glint, count):
    """All examples, and `count` of the other models that glint has a result for, in the order of a hash of their names."""
    order = lambda n: hashlib.sha256(n.encode()).digest()
    others = [n for n in names if not n.startswith("examples/") and n in glint and glint[n]["verdict"] not in VERDICTS[5:]]
    return catalogue.EXAMPLE_NETS + [n + "@f16" for n in catalogue.EXAMPLE_NETS] + sorted(others, key=order)[:count]


# ---- the page ----

VERDICTS = ["right", "wrong", "refused", "fails", "time-out", "export fails", "left out"]


def count(n):
    return f"{n / 1e6:.1f} M" if n >= 1e5 else f"{n / 1e3:.0f} k" if n >= 1000 else str(n)


def cell(text, length=220):
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= length else text[:length] + " ..."


def table(head, marks, rows):
    return ["", "| " + " | ".join(head) + " |", "|" + "|".join(marks) + "|"] + ["| " + " | ".join(r) + " |" for r in rows]


def verdict(row):
    return row["verdict"] if row else "not run"


def error(row):
    return f"{row['error']:.1e}" if row and "error" in row else ""


def cost(row):
    """Time and memory of the compiler."""
    return [f"{row['compile_s']:.2f} s", f"{row['compile_bytes'] / 1e6:.0f} MB"] if row and "compile_s" in row else ["", ""]


def totals(title, rows):
    return [title, str(len(rows)), *(str(sum(r["verdict"] == v for r in rows)) for v in VERDICTS)]


def first_page(glint, stock):
    """The examples, in float32 and float16."""
    rows = []
    shown = lambda row: f"{verdict(row)} {error(row)}".strip()
    for name in catalogue.EXAMPLE_NETS:
        cells = [system.get(name + variant) for variant in ("", "@f16") for system in (glint, stock)]
        parameters = next((count(c["parameters"]) for c in cells if c and "parameters" in c), "")
        rows.append([name.split("/")[1], parameters, *(shown(c) for c in cells)])
    return table(["model", "parameters", "glint f32", "stock f32", "glint f16", "stock f16"], ["---", "--:"] + ["---"] * 4, rows)


def tally(title, rows, libraries):
    of = lambda library: [r for r in rows if library == "all" or r["name"].startswith(library + "/")]
    return table([title] + VERDICTS, ["---"] + ["--:"] * len(VERDICTS), [
        [library] + [str(sum(r["verdict"] == v for r in of(library))) for v in VERDICTS] for library in libraries + ["all"]
    ])


def page(glint, stock, target):
    rows = list(glint.values())
    libraries = list(dict.fromkeys(r["name"].split("/")[0] for r in rows))
    both = [(glint[n], s) for n, s in stock.items() if n in glint]
    examples = sum(r["verdict"] == "right" for n in catalogue.EXAMPLE_NETS for v in ("", "@f16") if (r := glint.get(n + v)))
    lines = [
        "# Which models compile and run?",
        "",
        "`tests/zoo/zoo.py` builds public models with random weights, exports them with PyTorch, and compares what `glint run` gives with",
        "PyTorch: floats within 1e-3 of an output's largest value, all else exactly. `NAME@VARIANT` is a model with sizes that vary, of half",
        "precision (bf16 5e-2, f16 2e-2) or quantized (5e-2). Errors are relative to the largest value. Where rounding alone moves PyTorch's",
        "own outputs by half of what is allowed, there is no verdict: the model is listed as left out.",
        "",
        "*Stock* is ExecuTorch 1.5.1 from its Python package on the same exported program: its XNNPACK backend takes what it can, portable",
        f"kernels the rest. It has {STOCK_SECONDS // 60} minutes of processor time and {STOCK_BYTES >> 30} GiB for lowering and running; what",
        f"needs more is a time-out. Beside the examples, stock ran {sum('examples/' not in g['name'] for g, _ in both)} models, chosen by a hash of their",
        "names; `not run` says which it did not.",
        *table(["", "models", *VERDICTS], ["---"] + ["--:"] * (1 + len(VERDICTS)), [
            totals("glint", rows),
            *([totals("glint, of those run with stock", [g for g, _ in both]), totals("stock", [s for _, s in both])] if both else []),
        ]),
        "",
        "## The example models of ExecuTorch's first table",
        "",
        f"At full size, in float32 and in float16 (module and inputs in half). Glint: {examples} of {2 * len(catalogue.EXAMPLE_NETS)} right.",
        *first_page(glint, stock),
        "",
        "## All models",
        "",
        "Transformers are tiny configurations, images of torchvision and timm are small; the structure is that of the full model.",
        f"Target `{target}`, one thread; times are those of a busy machine of two cores; memory is the peak of the process that compiles,",
        "for stock one that has PyTorch and the model loaded.",
        *tally("glint", rows, libraries),
    ]
    if stock:
        decided = ("export fails", "left out")
        lines += tally("stock, of those run with it", [s for _, s in both], libraries)
        missed = [g["name"] for g, s in both if s["verdict"] == "right" and g["verdict"] != "right"]
        gained = sum(g["verdict"] == "right" and s["verdict"] not in ("right", *decided) for g, s in both)
        lines += ["", f"Right with glint and not with stock: {gained}. Right with stock and not with glint: {', '.join(missed) or 'none'}."]
    bad = [r for r in rows if r["verdict"] in VERDICTS[1:5]]
    if bad:
        lines += ["", "## Not yet"]
        bad.sort(key=lambda r: VERDICTS.index(r["verdict"]))
        lines += table(["model", "result", "why"], ["---"] * 3, [[r["name"], r["verdict"], cell(r["why"])] for r in bad])
    head = ["model", "parameters", "result", "error", "compile", "memory", "stock", "compile", "memory"]
    marks = ["---", "--:", "---", "--:", "--:", "--:", "---", "--:", "--:"]
    for library in libraries:
        of = [r for r in rows if r["name"].startswith(library + "/") and r["verdict"] in VERDICTS[:4]]
        cells = lambda r, s: [r["name"].split("/")[1], count(r["parameters"]), r["verdict"], error(r), *cost(r), verdict(s), *cost(s)]
        lines += ["", f"## {library}", *table(head, marks, [cells(r, stock.get(r["name"])) for r in of])]
    unlike = [s for s in stock.values() if s["verdict"] in VERDICTS[1:5]]
    if unlike:
        lines += ["", "## Not right with stock"]
        lines += table(["model", "result", "why"], ["---"] * 3, [[s["name"], s["verdict"], cell(s["why"], 160)] for s in unlike])
    skipped = [r for r in rows if r["verdict"] in VERDICTS[5:]]
    if skipped:
        lines += ["", "## Without a result"]
        lines += table(["model", "result", "why"], ["---"] * 3, [[r["name"], r["verdict"], cell(r["why"], 120)] for r in skipped])
    return "\n".join(lines) + "\n"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--system", default="glint", choices=["glint", "stock"])
    parser.add_argument("--glint", help="the command")
    parser.add_argument("--results", help="JSON lines; continued if it exists; SYSTEM.jsonl beside this script if not given")
    parser.add_argument("--target", default="cpu", choices=["cpu", "portable"])
    parser.add_argument("--only", nargs="*", default=[""], help="models whose name contains one of these")
    parser.add_argument("--sample", type=int, help="of the models beside the examples take as many, chosen by a hash of their names")
    parser.add_argument("--retry", nargs="*", default=[], help="verdicts to try again")
    parser.add_argument("--limit", type=int, default=120, help="seconds for each of export, compile and run")
    parser.add_argument("--keep", help="keep archives, inputs and outputs in this folder")
    parser.add_argument("--page", help="write the table of all results here")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    if args.system == "stock":
        args.target = "stock"
    path_of = lambda system: os.path.join(here, system + ".jsonl")
    path = args.results or path_of(args.system)
    names = catalogue.names()
    rows = read_results(path)
    of = lambda path, target: (lambda rows: {n: rows[n, target] for n in names if (n, target) in rows})(read_results(path))
    todo = [
        n
        for n in (names if args.sample is None else sampled(names, of(path_of("glint"), "cpu"), args.sample))
        if any(part in n for part in args.only) and ((n, args.target) not in rows or rows[n, args.target]["verdict"] in args.retry)
    ]
    if todo and args.system == "glint" and not args.glint:
        parser.error("--glint is needed to run models")
    with open(path, "a") as results:
        for row in (compact(in_process(n, args)) for n in todo):
            results.write(json.dumps(row) + "\n")
            results.flush()
            slow = row.get("run_ms", 0) > 10 * row.get("eager_ms", 1e9) + 5
            print(f"{row['verdict']:12} {row['name']} {row.get('error', '')} {row['why'][:300]}" + (" SLOW" if slow else ""), flush=True)
    if args.page:
        glint, stock = of(path if args.system == "glint" else path_of("glint"), args.target), of(path_of("stock"), "stock")
        with open(args.page, "w") as f:
            f.write(page(glint, stock, args.target))
    return 0


if __name__ == "__main__":
    sys.exit(main())
