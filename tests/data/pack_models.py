"""Gathers small exported models into a folder that export_corpus_test reads: the first call of each.

    python export_models.py /tmp/small --small && python pack_models.py /tmp/small tests/data/models

Archives above 600 KB stay out. Needs torch, safetensors.
"""
import glob
import json
import os
import shutil
import sys

import torch
from safetensors.torch import load_file, save_file


def main():
    source, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    tensors, rows = {}, []
    for path in sorted(glob.glob(os.path.join(source, "*_small.pt2"))):
        if os.path.getsize(path) > 600_000:
            continue
        name = os.path.basename(path).removesuffix("_small.pt2")
        recorded = load_file(path.removesuffix(".pt2") + ".safetensors")
        keys = {kind: sorted((k for k in recorded if k.startswith(kind)), key=lambda k: int(k[len(kind):])) for kind in ("input", "output")}
        tensors.update({f"{name}.{k}": recorded[k] for k in keys["input"] + keys["output"]})
        rows.append({"name": name, "file": name + ".pt2", "torch": torch.__version__, "inputs": [f"{name}.{k}" for k in keys["input"]],
                     "outputs": [f"{name}.{k}" for k in keys["output"]]})
        shutil.copy(path, os.path.join(out, name + ".pt2"))
    save_file(tensors, os.path.join(out, "tensors.safetensors"))
    with open(os.path.join(out, "index.jsonl"), "w") as index:
        index.writelines(json.dumps(r) + "\n" for r in rows)


if __name__ == "__main__":
    main()
