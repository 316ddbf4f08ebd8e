"""The overloads that PyTorch tags `core` in native_functions.yaml, one a line, after a line that names the release.

    python core_overloads.py > core_overloads.txt
"""
import os

import torch
import torchgen
import yaml

print(f"# {torch.__version__.split('+')[0]}")
path = os.path.join(os.path.dirname(torchgen.__file__), "packaged", "ATen", "native", "native_functions.yaml")
for function in yaml.safe_load(open(path)):
    tags = function.get("tags", [])
    if "core" in ([tags] if isinstance(tags, str) else tags): print("aten::" + function["func"].split("(")[0])
