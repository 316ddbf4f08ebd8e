"""Records exported programs and what PyTorch gives for calls of them, in the format of the export corpus (see export_corpus_test)."""

import json
import zipfile

import torch
import torch.nn as nn
from safetensors.torch import save_file
from torch.utils._pytree import tree_flatten

from export_models import without_folders


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *inputs):
        return self.f(*inputs)


def deflate(path):
    """The same archive, in less space."""
    with zipfile.ZipFile(path) as archive:
        entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


class Recorder:
    def __init__(self, folder):
        self.folder, self.tensors, self.rows = folder, {}, []

    def key(self, t):
        """A tensor's name in the corpus; other values as they are."""
        if not isinstance(t, torch.Tensor):
            return t
        self.tensors[str(len(self.tensors))] = t.detach().contiguous().clone()
        return str(len(self.tensors) - 1)

    def archive(self, name, module, calls, shapes=None, strict=False, decompose=False, refused=None):
        """`calls`: tuples of inputs; the first is exported with, and all are recorded twice, as of one session. `shapes`: dynamic shapes
        of the inputs. `refused`: what the compiler says of it for each target that it refuses."""
        with torch.no_grad():
            dynamic = None if shapes is None else {"inputs": shapes}
            program = torch.export.export(module, calls[0], strict=strict, dynamic_shapes=dynamic)
            program = without_folders(program.run_decompositions({}) if decompose else program)
            torch.export.save(program, f"{self.folder}/{name}.pt2")
        deflate(f"{self.folder}/{name}.pt2")
        user = [s.arg for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
        kept = [not hasattr(a, "value") or isinstance(a.value, torch.Tensor) for a in user]  # others are part of the program
        self.record(name, f"{name}.pt2", module, [*calls, *calls], kept, {} if refused is None else {"refused": refused})

    def record(self, name, file, module, calls, kept=None, more={}):
        for i, inputs in enumerate(calls):
            flat = tree_flatten(inputs)[0]
            if kept is not None and len(flat) != len(kept):
                raise AssertionError(f"{name}: {len(flat)} inputs, {len(kept)} in the program")
            given = [self.key(t) for j, t in enumerate(flat) if kept is None or kept[j]]
            with torch.no_grad():
                outputs = [self.key(o) for o in tree_flatten(module(*inputs), is_leaf=lambda o: o is None)[0]]
            self.rows.append(dict(name=f"{name}.{i}", file=file, inputs=given, outputs=outputs, **more))

    def write(self):
        with open(f"{self.folder}/index.jsonl", "w") as f:
            for row in self.rows:
                f.write(json.dumps(row) + "\n")
        save_file(self.tensors, f"{self.folder}/tensors.safetensors")
