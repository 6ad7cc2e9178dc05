# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a program and writes down its collectives and its peak memory, whatever process group is behind them.

python3 logged.py LOG EXTENSION PROGRAM ARGUMENTS…: LOG.RANK gets a line a call: its name, the group's ranks, elements, type and, for those
that end here with data, a checksum where LOG ends in "sums". EXTENSION is orrery_live.so, whose count of tensors' bytes is used alone.
"""
import atexit
import importlib.util
import os
import runpy
import sys
import zlib

import torch
import torch.distributed as dist

log_name, extension_path = sys.argv[1:3]
sys.argv = sys.argv[3:]
lines = []


def ranks_of(group):
    if group is None or group is dist.group.WORLD:
        return list(range(dist.get_world_size()))
    return sorted(dist.distributed_c10d._pg_group_ranks[group])


def describe(name, args, kwargs):
    tensor = args[0]
    group = kwargs.get("group")
    line = f"{name} {ranks_of(group)} {tensor.numel()} {tensor.dtype}"
    others = [value for value in args[1:] if isinstance(value, int)]
    return line + (f" {others}" if others else "")


def wrap(name):
    plain = getattr(dist, name)

    def logged(*args, **kwargs):
        line = describe(name, args, kwargs)
        result = plain(*args, **kwargs)
        # Two addends commute; a longer sum depends on its order, which backends choose.
        if log_name.endswith("sums") and name != "send" and len(ranks_of(kwargs.get("group"))) == 2:
            line += f" {zlib.crc32(args[0].detach().contiguous().numpy().tobytes()):08x}"
        lines.append(line)
        return result

    setattr(dist, name, logged)


for name in ("all_reduce", "broadcast", "send", "recv"):
    wrap(name)
plain_batch = dist.batch_isend_irecv


def batch(operations):
    for operation in operations:
        lines.append(f"{operation.op.__name__} {ranks_of(operation.group)} {operation.tensor.numel()} {operation.tensor.dtype} [{operation.peer}]")
    return plain_batch(operations)


dist.batch_isend_irecv = batch

if "ORRERY_LIVE_SOCKET" in os.environ:
    import orrery_hook

    extension = orrery_hook._run.load()
else:
    spec = importlib.util.spec_from_file_location("orrery_live", extension_path)
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    extension.watch_memory()


def write():
    with open(f"{log_name}.{os.environ['RANK']}", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + f"\npeak {extension.held_memory()[1]}\n")


atexit.register(write)
runpy.run_path(sys.argv[0], run_name="__main__")
