"""Glint against the stock ExecuTorch runtime, in turn on the same core.

    python bench/stock.py --glint build/release/bin/glint --rounds 5 ours.pte stock.pte

Every round runs both once, one thread, pinned to one core; every input is ones. Prints the medians of the rounds' medians, their ratio and
the versions. A program may stand on both sides: a stock XNNPACK file runs on either. Needs the executorch package for STOCK.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

STOCK = """
import sys, time, torch
from executorch.runtime import Runtime
torch.set_num_threads(1)
start = time.perf_counter()
method = Runtime.get().load_program(sys.argv[1]).load_method("forward")
load = (time.perf_counter() - start) * 1e3
meta = method.metadata
dtypes = {1: torch.int8, 0: torch.uint8, 3: torch.int32, 4: torch.int64, 5: torch.float16, 6: torch.float32, 11: torch.bool}
inputs = [torch.ones(meta.input_tensor_meta(i).sizes(), dtype=dtypes[meta.input_tensor_meta(i).dtype()]) for i in range(meta.num_inputs())]
for _ in range(5): method.execute(inputs)
times, end = [], time.perf_counter() + float(sys.argv[2])
while time.perf_counter() < end:
    start = time.perf_counter()
    method.execute(inputs)
    times.append((time.perf_counter() - start) * 1e3)
print(sorted(times)[len(times) // 2], load)
"""


def pinned(core):
    return lambda: os.sched_setaffinity(0, {core})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ours")
    parser.add_argument("stock")
    parser.add_argument("--glint", default="build/release/bin/glint")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--core", type=int, default=0)
    a = parser.parse_args()
    ours, stock = [], []
    for _ in range(a.rounds):
        out = subprocess.run([a.glint, "bench", a.ours, "--threads", "1", "--seconds", str(a.seconds), "--json"], capture_output=True, text=True, check=True, preexec_fn=pinned(a.core))
        ours.append(json.loads(out.stdout)["median_ms"])
        out = subprocess.run([sys.executable, "-c", STOCK, a.stock, str(a.seconds)], capture_output=True, text=True, check=True, preexec_fn=pinned(a.core))
        stock.append(float(out.stdout.split()[-2]))
    import executorch.version

    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown processor")
    print(f"{cpu}, one thread; executorch {executorch.version.__version__}; medians of {a.rounds} rounds")
    print(f"  glint {statistics.median(ours):8.2f} ms   {a.ours}")
    print(f"  stock {statistics.median(stock):8.2f} ms   {a.stock}")
    print(f"  ratio {statistics.median(o / s for o, s in zip(ours, stock)):8.2f}")


if __name__ == "__main__":
    main()
