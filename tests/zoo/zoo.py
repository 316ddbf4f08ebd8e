"""What glint makes of public models: random weights, exported by PyTorch, compiled, run and compared with PyTorch.

    python zoo.py --glint build/release/bin/glint --results zoo.jsonl [--only PART] [--target portable] [--page docs/model-coverage.md]

Every model has a process of its own and a time-out. Results go to a file of JSON lines; models that are in it are not
tried again, unless --retry names their verdict ("wrong", "refused", ...). --page writes the table of all results.

    right         outputs as PyTorch's: floats within 1e-3 of the largest value, all else exactly
    wrong         other outputs
    refused       the compiler says what it cannot do
    fails         a crash, a time-out, or an error while running
    export fails  PyTorch cannot export the model with these inputs
    left out      not tried: too large, or its library does not build it

Needs torch, safetensors, torchvision, transformers and timm.
"""

import argparse
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import torch
from safetensors.torch import load_file, save_file

import catalogue

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
        path = lambda name: os.path.join(work, name)
        try:
            want = model(*run_inputs)
            row["eager_ms"] = eager_ms(model, run_inputs)
        except Exception as e:
            return {**row, "verdict": "left out", "why": f"does not run: {type(e).__name__}: {first_line(str(e))}"}
        try:
            program = torch.export.export(model, inputs, strict=False, **options)
            torch.export.save(program, path("model.pt2"))
        except Exception as e:
            return {**row, "verdict": "export fails", "why": f"{type(e).__name__}: {first_line(str(e))}"}
        want = list(want) if isinstance(want, (tuple, list)) else [want]
        save_file({f"input{i}": t.contiguous().clone() for i, t in enumerate(run_inputs)}, path("in.safetensors"))
        if args.keep:
            save_file({f"output{i}": t.contiguous().clone() for i, t in enumerate(want)}, path("want.safetensors"))
        del program
        status, _, err, row["compile_s"], row["compile_bytes"] = measured(
            [args.glint, "compile", path("model.pt2"), "-o", path("model.pte"), f"--target={args.target}"], args.limit
        )
        if status != 0:
            return {
                **row,
                "verdict": "refused" if status == 1 else "fails",
                "why": (
                    err.strip().replace(path("model.pt2") + ": ", "") if status == 1 else f"compile ends with {status}: {first_line(err)}"
                ),
            }
        status, out, err, _, row["run_bytes"] = measured(
            [args.glint, "run", path("model.pte"), "--input", path("in.safetensors"), "--output", path("out.safetensors"), "--json"],
            args.limit,
        )
        if status != 0:
            return {**row, "verdict": "fails", "why": f"run ends with {status}: {err.strip().replace(work + '/', '')}"}
        row["run_ms"] = json.loads(out)["ms"]
        got = load_file(path("out.safetensors"))
        got = [got[f"output{i}"] for i in range(len(got))]
        row["error"], why = compare(got, want, tolerance(name))
        if why and (noise := rounding(model, run_inputs, want)) > tolerance(name) / 2:
            return {
                **row,
                "verdict": "left out",
                "why": f"rounding decides: it moves PyTorch's own outputs by {noise:.2g}, glint is off by {row['error']:.2g}",
            }
    return {**row, "verdict": "wrong" if why else "right", "why": why}


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


def in_process(name, args):
    """one_model in a process made by fork, which has the libraries already."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = os.fork()
        if process == 0:
            os.setsid()
            os.dup2(err.fileno(), 2)
            json.dump(one_model(name, args), out)
            out.flush()
            os._exit(0)
        deadline = time.monotonic() + 3 * args.limit
        while (done := os.waitpid(process, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
            time.sleep(0.02)
        if done == (0, 0):
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return {"name": name, "target": args.target, "verdict": "left out", "why": "takes too long to build and export"}
        out.seek(0), err.seek(0)
        text = out.read()
        if text:
            return json.loads(text)
        last = (err.read().strip().splitlines() or ["no message"])[-1]
        return {"name": name, "target": args.target, "verdict": "left out", "why": f"its process ended with {done[1]}: {last[:200]}"}


# ---- the page ----

VERDICTS = ["right", "wrong", "refused", "fails", "export fails", "left out"]


def count(n):
    return f"{n / 1e6:.1f} M" if n >= 1e5 else f"{n / 1e3:.0f} k"


def cell(text, length=220):
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= length else text[:length] + " ..."


def page(rows, target):
    rows = [r for r in rows if r["target"] == target]
    libraries = list(dict.fromkeys(r["name"].split("/")[0] for r in rows))
    lines = [
        "# Which models compile and run?",
        "",
        "`tests/zoo/zoo.py` builds public models with random weights, exports them with PyTorch, and compares what `glint run` gives with",
        "PyTorch: floats within 1e-3 of an output's largest value, all else exactly. `NAME@VARIANT` is a model with sizes that vary, of half",
        "precision (bf16 5e-2, f16 2e-2) or quantized (5e-2). Transformers are tiny configurations, images are",
        f"small; the structure is that of the full model. Target `{target}`, one thread; times are those of a busy machine of two cores. Errors",
        "are relative to the largest value; memory is the peak of the process that compiles. Where rounding alone moves PyTorch's own outputs",
        "by half of what is allowed, there is no verdict: the model is listed as left out.",
        "",
        "| library | " + " | ".join(VERDICTS) + " |",
        "|---|" + "--:|" * len(VERDICTS),
    ]
    for library in libraries + ["all"]:
        of = [r for r in rows if library == "all" or r["name"].startswith(library + "/")]
        lines.append(f"| {library} | " + " | ".join(str(sum(r["verdict"] == v for r in of)) for v in VERDICTS) + " |")
    bad = [r for r in rows if r["verdict"] in ("wrong", "refused", "fails")]
    if bad:
        lines += ["", "## Not yet", "", "| model | result | why |", "|---|---|---|"]
        lines += [f"| {r['name']} | {r['verdict']} | {cell(r['why'])} |" for r in sorted(bad, key=lambda r: VERDICTS.index(r["verdict"]))]
    for library in libraries:
        lines += ["", f"## {library}", "", "| model | parameters | result | error | compile | memory |", "|---|--:|---|--:|--:|--:|"]
        for r in rows:
            if r["name"].startswith(library + "/") and r["verdict"] in VERDICTS[:4]:
                error = f"{r['error']:.1e}" if "error" in r else ""
                lines.append(
                    f"| {r['name'].split('/')[1]} | {count(r['parameters'])} | {r['verdict']} | {error} | {r['compile_s']:.2f} s | {r['compile_bytes'] / 1e6:.0f} MB |"
                )
    skipped = [r for r in rows if r["verdict"] in VERDICTS[4:]]
    if skipped:
        lines += ["", "## Without a result", "", "| model | result | why |", "|---|---|---|"]
        lines += [f"| {r['name']} | {r['verdict']} | {cell(r['why'], 120)} |" for r in skipped]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--glint", required=True)
    parser.add_argument("--results", default="zoo.jsonl", help="JSON lines; continued if it exists")
    parser.add_argument("--target", default="cpu", choices=["cpu", "portable"])
    parser.add_argument("--only", nargs="*", default=[""], help="models whose name contains one of these")
    parser.add_argument("--retry", nargs="*", default=[], help="verdicts to try again")
    parser.add_argument("--limit", type=int, default=120, help="seconds for each of export, compile and run")
    parser.add_argument("--keep", help="keep archives, inputs and outputs in this folder")
    parser.add_argument("--page", help="write the table of all results here")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    rows = {}
    if os.path.exists(args.results):
        with open(args.results) as f:
            rows = {(r["name"], r["target"]): r for r in map(json.loads, f)}  # the last result of a model counts
    todo = [
        n
        for n in catalogue.names()
        if any(part in n for part in args.only) and ((n, args.target) not in rows or rows[n, args.target]["verdict"] in args.retry)
    ]
    with open(args.results, "a") as results:
        for row in (in_process(n, args) for n in todo):
            rows[row["name"], row["target"]] = row
            results.write(json.dumps(row) + "\n")
            results.flush()
            slow = row.get("run_ms", 0) > 10 * row.get("eager_ms", 1e9) + 5
            print(f"{row['verdict']:12} {row['name']} {row.get('error', '')} {row['why'][:300]}" + (" SLOW" if slow else ""), flush=True)
    if args.page:
        order = {n: i for i, n in enumerate(catalogue.names())}
        with open(args.page, "w") as f:
            f.write(page(sorted((r for r in rows.values() if r["name"] in order), key=lambda r: order[r["name"]]), args.target))
    return 0


if __name__ == "__main__":
    sys.exit(main())
