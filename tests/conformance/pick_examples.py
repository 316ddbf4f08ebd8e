"""A few small calls of every operator out of what fuzz.py drew, for operator_table.

    python pick_examples.py /tmp/fuzz ../data/operators/examples

writes examples.jsonl and examples.safetensors: for each operator up to four calls with few elements, of several kinds of dtype.
"""
import glob
import json
import os
import sys

from safetensors.torch import load_file, save_file

EACH = 4


def tensors_of(row):
    found = []

    def walk(a):
        if isinstance(a, dict) and "tensor" in a:
            found.append(a)
        for v in a.values() if isinstance(a, dict) else a if isinstance(a, list) else ():
            walk(v)

    walk(row["args"])
    walk(list(row["kwargs"].values()))
    return found


def kind(row, stored):
    operands = tensors_of(row)
    if any(o.get("complex") for o in operands):
        return "complex"
    types = [str(stored[o["tensor"]].dtype)[6:] for o in operands]
    floats = [t for t in types if "float" in t]
    return "float" if floats else (types or ["none"])[0].rstrip("0123456789")


def main(folder, target):
    rows, tensors = [], {}
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        if os.path.basename(path) == "failures.jsonl":
            continue
        stored = load_file(path[:-6] + ".safetensors")
        drawn = [json.loads(line) for line in open(path)]
        drawn = [r for r in drawn if r.get("out") and not r.get("raises")]

        def cost(row):
            sizes = [stored[o["tensor"]].numel() for o in tensors_of(row)]
            return (any(s == 0 for s in sizes), not any(s > 1 for s in sizes), sum(sizes), len(json.dumps(row)))

        drawn.sort(key=cost)
        chosen, kinds = [], {}
        for row in drawn:  # at most two of a kind, while there are other kinds
            k = kind(row, stored)
            if kinds.get(k, 0) < 2 and len(chosen) < EACH:
                kinds[k] = kinds.get(k, 0) + 1
                chosen.append(row)
        for row in chosen:
            for o in tensors_of(row):
                name = str(len(tensors))
                tensors[name] = stored[o["tensor"]]
                o["tensor"] = name
            rows.append({"op": row["op"], "args": row["args"], "kwargs": row["kwargs"], "out": {"list": [None] * len(row["out"]["list"])}})
    with open(target + ".jsonl", "w") as out:
        out.writelines(json.dumps(r) + "\n" for r in rows)
    save_file(tensors, target + ".safetensors")
    print(f"{len(rows)} calls of {len({r['op'] for r in rows})} operators")


main(*sys.argv[1:])
