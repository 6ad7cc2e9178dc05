# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the Python package share."""
import copy
import glob
import os
import subprocess

SOURCE = os.environ["ORRERY_SOURCE"]
CLI = os.environ["ORRERY_CLI"]
SHARED = os.environ["ORRERY_SHARED"]

_SMALL = {
    "format": "orrery-scenario/1",
    "name": "small",
    "model": {"config": {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024, "vocab_size": 50304, "activation_function": "gelu_new",
                         "tie_word_embeddings": True}},
    "cluster": {"accelerator": "a100-sxm4-80gb", "accelerators_per_node": 8, "nodes": 1},
    "workload": {"kind": "training", "sequence_length": 1024, "global_batch_size": 64, "micro_batch_size": 4, "precision": "bf16"},
    "parallelism": {"tensor": 2, "pipeline": 2},
}


def small():
    """A scenario that takes a moment and fits."""
    return copy.deepcopy(_SMALL)


def examples():
    return sorted(glob.glob(os.path.join(SOURCE, "resources", "examples", "*.orrery.json")))


def example(name):
    return os.path.join(SOURCE, "resources", "examples", name)


def run_cli(*arguments, text=None):
    """Exit status, standard output and standard error of orrery-cli."""
    done = subprocess.run([CLI, *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    return done.returncode, done.stdout, done.stderr
