#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures this machine for Orrery: matrix products, the kernels of a transformer one by one, whole steps of small GPTs, collectives where torchrun started
several processes, and two steps of your own job when asked. It needs torch and nothing else, sends nothing anywhere, and writes one JSON file:

    python3 orrery_record.py --out recorded.json
    torchrun --nproc_per_node 8 orrery_record.py --out recorded.json       # with collectives
    python3 orrery_record.py --job train.py --out recorded.json            # train.py has a function step() that runs one step
    orrery-cli calibrate recorded.json --out my.orrery-profile.json        # what Orrery makes of it; execution.profile uses it
"""
import argparse
import json
import math
import os
import platform
import statistics
import sys
import time

import torch
import torch.nn.functional as F

WORD = torch.bfloat16  # what models train in


class Machine:
    """The device, and a clock for what runs on it."""

    def __init__(self, asked):
        self.cuda = torch.cuda.is_available() if asked == "auto" else asked == "cuda"
        self.rank = int(os.environ.get("RANK", 0))
        self.world = int(os.environ.get("WORLD_SIZE", 1))
        if self.cuda:
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
        self.device = torch.device("cuda" if self.cuda else "cpu")
        # One thread has the time of its CPU to itself even where other programs take turns; several don't.
        self.clock = time.process_time if not self.cuda and torch.get_num_threads() == 1 else time.perf_counter

    def seconds(self, work, calls):
        """Seconds a call of so many in a row."""
        if self.cuda:
            torch.cuda.synchronize()
        begin = self.clock()
        for _ in range(calls):
            work()
        if self.cuda:
            torch.cuda.synchronize()
        return (self.clock() - begin) / calls

    def measure(self, work, least):
        """Median seconds a call, over five batches that last `least` seconds together or more."""
        work()
        once = max(self.seconds(work, 1), 1e-7)
        calls = max(1, min(1000, math.ceil(least / 5 / once)))
        return statistics.median(self.seconds(work, calls) for _ in range(5 if once < least else 3))

    def described(self, products, stream, vector):
        if self.cuda:
            properties = torch.cuda.get_device_properties(self.device)
            name, memory, processors = properties.name, properties.total_memory, properties.multi_processor_count
        else:
            name, memory, processors = cpu_name(), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), torch.get_num_threads()
        best = max(product["flops"] / product["seconds"] for product in products)
        return {"kind": "gpu" if self.cuda else "cpu", "name": name, "memory_bytes": memory, "processors": processors, "ranks": self.world,
                "peak_tflops": best / 1e12, "memory_gb_per_s": stream / 1e9, "vector_tflops": vector / 1e12}


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def noise(machine, *shape):
    return torch.randn(*shape, device=machine.device, dtype=torch.float32).to(WORD)


def measured_products(machine, sizes, least):
    """Products of three sides, as layers have them: activations by weights."""
    rows = []
    for m, n, k in sizes:
        a, b = noise(machine, m, k), noise(machine, n, k)
        rows.append({"m": m, "n": n, "k": k, "flops": 2 * m * n * k, "seconds": machine.measure(lambda a=a, b=b: F.linear(a, b), least)})
    return rows


def measured_stream(machine, least):
    """Bytes/s of a copy that no cache holds."""
    source = noise(machine, 1 << (28 if machine.cuda else 24))
    target = torch.empty_like(source)
    return 2 * source.numel() * source.element_size() / machine.measure(lambda: target.copy_(source), least)


def measured_vector(machine, least):
    """FLOP/s of an activation function, 8 FLOP an element as Orrery counts it."""
    x = noise(machine, 1 << (24 if machine.cuda else 20))
    return 8 * x.numel() / machine.measure(lambda: gelu(x), least)


def gelu(x):
    try:
        return F.gelu(x, approximate="tanh")
    except TypeError:  # before 1.12
        return F.gelu(x)


class Shape:
    """A GPT, and what one step of it sees."""

    def __init__(self, layers, hidden, heads, sequence, batch, words):
        self.layers, self.hidden, self.heads, self.sequence, self.batch, self.words = layers, hidden, heads, sequence, batch, words
        self.tokens = sequence * batch

    def scenario(self, fused):
        """What Orrery is to simulate, without the cluster."""
        return {
            "format": "orrery-scenario/1",
            "name": f"GPT of {self.layers} layers, hidden {self.hidden}",
            "model": {"config": {"model_type": "gpt2", "n_layer": self.layers, "n_embd": self.hidden, "n_head": self.heads, "n_positions": self.sequence, "vocab_size": self.words,
                                 "activation_function": "gelu_new", "tie_word_embeddings": False, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0}},
            "workload": {"kind": "training", "sequence_length": self.sequence, "global_batch_size": self.batch, "micro_batch_size": self.batch, "precision": "bf16"},
            "execution": {"framework": "generic-2026", "attention": "flash" if fused else "unfused", "recompute": "none", "compile": False, "cuda_graphs": False},
        }


def has_fused_attention(machine):
    return machine.cuda and hasattr(F, "scaled_dot_product_attention")


def masked_softmax(scores, mask, scale):
    return torch.softmax((scores * scale).masked_fill(mask, float("-inf")), dim=-1)


def measured_operations(machine, shape, least):
    """The kernels of a layer and of the head, each by itself: forward, and backward by what autograd runs."""
    rows, h, t = [], shape.hidden, shape.tokens
    width = h // shape.heads
    pairs = shape.batch * shape.heads

    def add(kinds, phase, work):
        rows.append({"kinds": kinds if isinstance(kinds, list) else [kinds], "phase": phase, "seconds": machine.measure(work, least)})

    def both(name, forward, inputs, backward_names):
        """An operator whose backward gives the gradients of all inputs at once."""
        with torch.no_grad():
            add(name, "forward", lambda: forward(*inputs))
        leaves = [one.detach().requires_grad_() for one in inputs]
        out = forward(*leaves)
        gradient = torch.randn_like(out)
        add(backward_names, "backward", lambda: torch.autograd.grad(out, leaves, gradient, retain_graph=True))

    def linear(name, rows_in, out_width, in_width):
        x, w, dy = noise(machine, rows_in, in_width), noise(machine, out_width, in_width), noise(machine, rows_in, out_width)
        with torch.no_grad():
            add(name, "forward", lambda: F.linear(x, w))
            add(name + ".dgrad", "backward", lambda: dy @ w)
            add(name + ".wgrad", "backward", lambda: dy.t() @ x)

    x = noise(machine, t, h)
    weight, bias = noise(machine, h), noise(machine, h)
    both("mlp.norm", lambda a, w, b: F.layer_norm(a, (h,), w, b), [x, weight, bias], ["mlp.norm.backward", "mlp.norm.gradient_sum"])
    linear("attention.qkv", t, 3 * h, h)
    linear("attention.output", t, h, h)
    linear("mlp.up", t, 4 * h, h)
    linear("mlp.down", t, h, 4 * h)
    linear("head.logits", t, shape.words, h)
    q, k, v = (noise(machine, pairs, shape.sequence, width) for _ in range(3))
    if has_fused_attention(machine):
        q4, k4, v4 = (one.view(shape.batch, shape.heads, shape.sequence, width) for one in (q, k, v))
        both("attention.core", lambda a, b, c: F.scaled_dot_product_attention(a, b, c, is_causal=True), [q4, k4, v4], "attention.core.backward")
    else:
        mask = torch.ones(shape.sequence, shape.sequence, dtype=torch.bool, device=machine.device).triu(1)
        both("attention.scores", lambda a, b: torch.bmm(a, b.transpose(1, 2)), [q, k], "attention.scores.backward")
        scores = noise(machine, pairs, shape.sequence, shape.sequence)
        both("attention.softmax", lambda a: masked_softmax(a, mask, width**-0.5), [scores], "attention.softmax.backward")
        both("attention.context", torch.bmm, [torch.softmax(scores, dim=-1), v], "attention.context.backward")
    both("mlp.activation", gelu, [noise(machine, t, 4 * h)], "mlp.activation.backward")
    with torch.no_grad():
        other = noise(machine, t, h)
        add("mlp.residual", "forward", lambda: x + other)
    target = torch.randint(shape.words, (t,), device=machine.device)
    both("head.loss", lambda a: F.cross_entropy(a.float(), target), [noise(machine, t, shape.words)], "head.loss.backward")
    step = Step(machine, shape)
    step.loss().backward()
    step.collect()
    with torch.no_grad():
        add("optimizer.gradient_norm", "optimizer", step.clip)
        add("optimizer.adam", "optimizer", step.adam)
    return rows


class Step:
    """A GPT in plain PyTorch: weights in 16 bit, main weights, gradients and moments in 32, as large models are trained."""

    def __init__(self, machine, shape):
        self.machine, self.shape = machine, shape
        h = shape.hidden
        make = lambda *sides: (torch.randn(*sides, device=machine.device) * 0.02).to(WORD).requires_grad_()  # noqa: E731
        self.tokens, self.places, self.logits = make(shape.words, h), make(shape.sequence, h), make(shape.words, h)
        self.layers = [{"n1": make(h), "b1": make(h), "qkv": make(3 * h, h), "qkvb": make(3 * h), "out": make(h, h), "outb": make(h), "n2": make(h), "b2": make(h), "up": make(4 * h, h), "upb": make(4 * h),
                        "down": make(h, 4 * h), "downb": make(h)} for _ in range(shape.layers)]
        self.norm, self.bias = make(h), make(h)
        self.weights = [self.tokens, self.places, self.logits, self.norm, self.bias] + [one for layer in self.layers for one in layer.values()]
        self.main = [weight.detach().float().clone() for weight in self.weights]
        self.gradients = [torch.zeros_like(main) for main in self.main]
        self.first = [torch.zeros_like(main) for main in self.main]
        self.second = [torch.zeros_like(main) for main in self.main]
        self.mask = torch.ones(shape.sequence, shape.sequence, dtype=torch.bool, device=machine.device).triu(1)
        self.input = torch.randint(shape.words, (shape.batch, shape.sequence), device=machine.device)
        self.target = torch.randint(shape.words, (shape.tokens,), device=machine.device)

    def attention(self, q, k, v):
        if has_fused_attention(self.machine):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return masked_softmax(q @ k.transpose(-1, -2), self.mask, q.shape[-1] ** -0.5) @ v

    def loss(self):
        s = self.shape
        h, width = s.hidden, s.hidden // s.heads
        x = self.tokens[self.input] + self.places
        for layer in self.layers:
            y = F.linear(F.layer_norm(x, (h,), layer["n1"], layer["b1"]), layer["qkv"], layer["qkvb"])
            q, k, v = (one.view(s.batch, s.sequence, s.heads, width).transpose(1, 2) for one in y.split(h, dim=-1))
            y = self.attention(q, k, v).transpose(1, 2).reshape(s.batch, s.sequence, h)
            x = x + F.linear(y, layer["out"], layer["outb"])
            y = gelu(F.linear(F.layer_norm(x, (h,), layer["n2"], layer["b2"]), layer["up"], layer["upb"]))
            x = x + F.linear(y, layer["down"], layer["downb"])
        logits = F.linear(F.layer_norm(x, (h,), self.norm, self.bias), self.logits)
        return F.cross_entropy(logits.float().view(s.tokens, s.words), self.target)

    def collect(self):
        """Gradients into 32 bit."""
        with torch.no_grad():
            for weight, gradient in zip(self.weights, self.gradients):
                gradient.copy_(weight.grad)
                weight.grad = None

    def clip(self):
        norm = math.sqrt(sum(float(gradient.pow(2).sum()) for gradient in self.gradients))
        if norm > 1:
            for gradient in self.gradients:
                gradient.mul_(1 / norm)

    def adam(self):
        for weight, main, gradient, first, second in zip(self.weights, self.main, self.gradients, self.first, self.second):
            first.mul_(0.9).add_(gradient, alpha=0.1)
            second.mul_(0.95).addcmul_(gradient, gradient, value=0.05)
            main.addcdiv_(first, second.sqrt().add_(1e-8), value=-1e-4)
            weight.copy_(main)

    def run(self):
        self.loss().backward()
        self.collect()
        with torch.no_grad():
            self.clip()
            self.adam()


def measured_steps(machine, shape, count):
    step = Step(machine, shape)
    step.run()
    return [machine.seconds(step.run, 1) for _ in range(count)]


def measured_collectives(machine, sizes, least):
    """Of the process group that torchrun's environment describes; every rank takes part, the first one says."""
    if machine.world < 2:
        return []
    import torch.distributed as dist

    dist.init_process_group("nccl" if machine.cuda else "gloo")
    rows = []
    for size in sizes:
        word = WORD if machine.cuda else torch.float32  # Gloo has no bfloat16
        count = size // torch.empty(0, dtype=word).element_size() // machine.world * machine.world
        whole, part = torch.zeros(count, device=machine.device, dtype=word), torch.zeros(count // machine.world, device=machine.device, dtype=word)
        parts = list(whole.chunk(machine.world))
        kinds = {"all_reduce": lambda: dist.all_reduce(whole), "all_gather": lambda: dist.all_gather(parts, part), "broadcast": lambda: dist.broadcast(whole, 0)}
        if machine.cuda:
            kinds["reduce_scatter"] = lambda: dist.reduce_scatter(part, parts)
        for name, work in kinds.items():
            dist.barrier()
            calls = 20
            work()
            if machine.cuda:
                torch.cuda.synchronize()
            dist.barrier()
            begin = time.perf_counter()
            for _ in range(calls):
                work()
            if machine.cuda:
                torch.cuda.synchronize()
            rows.append({"op": name, "bytes": count * whole.element_size(), "ranks": machine.world, "seconds": (time.perf_counter() - begin) / calls})
    dist.destroy_process_group()
    return rows


def measured_job(machine, path):
    """Two steps of the user's own job, after one that warms up."""
    import runpy

    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    names = runpy.run_path(path, run_name="orrery_record")
    step = names.get("step")
    if not callable(step):
        sys.exit(f"{path} has no function step(): define one that runs one training step and takes no arguments.")
    step()
    job = {"file": os.path.basename(path), "step_seconds": [machine.seconds(step, 1) for _ in range(2)]}
    if isinstance(names.get("scenario"), dict):  # what Orrery is to hold beside it
        job["scenario"] = names["scenario"]
    return job


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="recorded.json", help="file to write (recorded.json)")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="where to measure")
    parser.add_argument("--job", help="Python file with a function step(), which runs one step of your own job; it may also have a dict scenario")
    parser.add_argument("--quick", action="store_true", help="a minute instead of ten: fewer and shorter measurements")
    options = parser.parse_args()
    machine = Machine(options.device)
    torch.manual_seed(45)
    say = lambda text: print(text, file=sys.stderr, flush=True) if machine.rank == 0 else None  # noqa: E731
    least = 0.1 if options.quick else 0.5
    if machine.cuda:
        sides = (1024, 2048, 4096, 8192)
        fitted = [Shape(4, 1024, 16, 1024, 4, 8192), Shape(4, 2048, 16, 2048, 4, 32768)]
        held = [Shape(6, 1536, 12, 1024, 8, 16384)]
        sizes = [1 << power for power in (16, 20, 24, 28)]
    else:
        sides = (256, 512, 768) if options.quick else (256, 512, 1024, 2048)
        fitted = [Shape(2, 192, 4, 64, 4, 1024), Shape(2, 384, 6, 128, 4, 2048)]
        held = [Shape(4, 320, 5, 96, 4, 1536)] + ([] if options.quick else [Shape(3, 512, 8, 128, 4, 4096)])
        sizes = [1 << power for power in (16, 20)]
    say("Matrix products …")
    products = measured_products(machine, [(side, side, side) for side in sides] + [(shape.tokens, 4 * shape.hidden, shape.hidden) for shape in fitted], least)
    stream, vector = measured_stream(machine, least), measured_vector(machine, least)
    runs = []
    fused = has_fused_attention(machine)
    for shape in fitted:
        say(f"Kernels of a GPT of hidden {shape.hidden} …")
        runs.append({"name": f"kernels of hidden {shape.hidden}", "use": "fit", "scenario": shape.scenario(fused), "operations": measured_operations(machine, shape, least)})
    for shape in held:
        say(f"Steps of a GPT of hidden {shape.hidden} …")
        runs.append({"name": f"step of hidden {shape.hidden}", "use": "check", "scenario": shape.scenario(fused), "step_seconds": measured_steps(machine, shape, 3 if options.quick else 5)})
    say("Collectives …" if machine.world > 1 else "No collectives: one process. Start with torchrun to measure them.")
    document = {
        "format": "orrery-recording/1",
        "machine": machine.described(products, stream, vector),
        "software": {"python": platform.python_version(), "torch": torch.__version__, "cuda": torch.version.cuda},
        "products": products,
        "runs": runs,
        "collectives": measured_collectives(machine, sizes, least),
    }
    if options.job:
        say("Your own job …")
        document["job"] = measured_job(machine, options.job)
    if machine.rank == 0:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
        say(f"{options.out} is written. orrery-cli calibrate {options.out} --out my.orrery-profile.json makes a profile of it.")


if __name__ == "__main__":
    main()
