# SPDX-License-Identifier: GPL-3.0-or-later
"""A GPT in plain PyTorch: tensor x pipeline x data parallel, 1F1B. It knows nothing of Orrery.

Run it with torchrun, or with orrery-run. Ranks are numbered tensor first, then data, then pipeline.
"""
import argparse
import os
import stat

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensor", type=int, default=2)
    parser.add_argument("--pipeline", type=int, default=2)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=384)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--vocabulary", type=int, default=4096)
    parser.add_argument("--sequence", type=int, default=64)
    parser.add_argument("--micro-batch", type=int, default=2)
    parser.add_argument("--micro-batches", type=int, default=4)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--backend", default="gloo")
    parser.add_argument("--shard-optimizer", action="store_true", help="each data rank keeps its share of Adam's states")
    parser.add_argument("--log", help="file for the losses")
    parser.add_argument("--fault", default="", help="KIND:RANK, for tests: skip, swap, size, order, object, stop, crash, exit, fork, rubbish, memory")
    return parser.parse_args()


class Sum(torch.autograd.Function):
    """All-reduce forward, nothing backward: the end of a row-parallel layer."""

    @staticmethod
    def forward(ctx, x, group):
        x = x.contiguous()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Spread(torch.autograd.Function):
    """Nothing forward, all-reduce backward: the start of a column-parallel layer."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient, group=ctx.group)
        return gradient, None


class Block(nn.Module):
    def __init__(self, a, group):
        super().__init__()
        self.group, self.heads = group, a.heads // a.tensor
        inner = a.hidden // a.tensor
        self.before = nn.LayerNorm(a.hidden)
        self.qkv = nn.Linear(a.hidden, 3 * inner)
        self.out = nn.Linear(inner, a.hidden, bias=False)
        self.between = nn.LayerNorm(a.hidden)
        self.up = nn.Linear(a.hidden, 4 * inner)
        self.down = nn.Linear(4 * inner, a.hidden, bias=False)

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = self.qkv(Spread.apply(self.before(x), self.group)).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones(s, s, dtype=torch.bool).triu(1), float("-inf"))
        attended = (F.softmax(scores, -1) @ v).transpose(1, 2).reshape(b, s, -1)
        x = x + Sum.apply(self.out(attended), self.group)
        return x + Sum.apply(self.down(F.gelu(self.up(Spread.apply(self.between(x), self.group)))), self.group)


class Stage(nn.Module):
    def __init__(self, a, group, stage):
        super().__init__()
        self.first, self.last = stage == 0, stage == a.pipeline - 1
        if self.first:
            self.tokens = nn.Embedding(a.vocabulary, a.hidden)
            self.positions = nn.Embedding(a.sequence, a.hidden)
        self.blocks = nn.ModuleList(Block(a, group) for _ in range(a.layers // a.pipeline))
        if self.last:
            self.norm = nn.LayerNorm(a.hidden)
            self.head = nn.Linear(a.hidden, a.vocabulary, bias=False)

    def forward(self, x, targets):
        if self.first:
            x = self.tokens(x) + self.positions(torch.arange(x.shape[1]))
        for block in self.blocks:
            x = block(x)
        if self.last:
            return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())
        return x


class Trainer:
    def __init__(self, a):
        self.a = a
        dist.init_process_group(a.backend)
        self.rank, world = dist.get_rank(), dist.get_world_size()
        self.data_size = world // (a.tensor * a.pipeline)
        self.tensor_rank = self.rank % a.tensor
        self.data_rank = self.rank // a.tensor % self.data_size
        self.stage = self.rank // (a.tensor * self.data_size)
        self.make_groups(world)
        torch.manual_seed(1234 + 100 * self.stage + self.tensor_rank)
        self.model = Stage(a, self.tensor_group, self.stage)
        with torch.no_grad():
            for parameter in self.model.parameters():
                if parameter.dim() > 1:
                    parameter.normal_(0, 0.02)
        # What every tensor rank has must begin alike.
        for parameter in self.model.parameters():
            dist.broadcast(parameter.data, self.rank - self.data_rank * a.tensor, group=self.data_group)
        self.parameters = list(self.model.parameters())
        if a.shard_optimizer:
            self.parameters = self.parameters[self.data_rank :: self.data_size]
        self.optimizer = torch.optim.Adam(self.parameters, lr=1e-3) if self.parameters else None
        self.fault_kind, _, fault_rank = a.fault.partition(":")
        self.faulty = bool(a.fault) and int(fault_rank) == self.rank
        self.generator = torch.Generator().manual_seed(99 + self.data_rank)

    def make_groups(self, world):
        t, d, p = self.a.tensor, self.data_size, self.a.pipeline
        for stage in range(p):
            for data in range(d):
                ranks = [(stage * d + data) * t + i for i in range(t)]
                group = dist.new_group(ranks)
                if self.rank in ranks:
                    self.tensor_group = group
        for stage in range(p):
            for tensor in range(t):
                ranks = [(stage * d + i) * t + tensor for i in range(d)]
                group = dist.new_group(ranks)
                if self.rank in ranks:
                    self.data_group = group
        for data in range(d):
            for tensor in range(t):
                ranks = [(i * d + data) * t + tensor for i in range(p)]
                group = dist.new_group(ranks)
                if self.rank in ranks:
                    self.pipeline_group, self.pipeline_ranks = group, ranks

    def neighbour(self, step):
        return self.pipeline_ranks[self.stage + step]

    def shape(self):
        return (self.a.micro_batch, self.a.sequence, self.a.hidden)

    def receive(self, step):
        x = torch.empty(self.shape())
        dist.recv(x, self.neighbour(step), group=self.pipeline_group)
        return x

    def batch(self):
        tokens = torch.randint(0, self.a.vocabulary, (self.a.micro_batch, self.a.sequence + 1), generator=self.generator)
        return tokens[:, :-1], tokens[:, 1:]

    def forward(self):
        tokens, targets = self.batch()
        x = tokens if self.model.first else self.receive(-1).requires_grad_()
        y = self.model(x, targets)
        if self.model.last:
            self.loss += float(y) / self.a.micro_batches
            y = y / self.a.micro_batches
        self.open.append((x, y))
        return y

    def backward(self, gradient):
        x, y = self.open.pop(0)
        y.backward(gradient)
        return None if self.model.first else x.grad

    def exchange(self, send, step):
        """Sends to a neighbour and receives from it at the same time, as 1F1B needs."""
        if self.faulty and self.fault_kind == "order":
            dist.send(send, self.neighbour(step), group=self.pipeline_group)
            return self.receive(step)
        x = torch.empty(self.shape())
        requests = dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, send, self.neighbour(step), self.pipeline_group), dist.P2POp(dist.irecv, x, self.neighbour(step), self.pipeline_group)]
        )
        for request in requests:
            request.wait()
        return x

    def step(self):
        """One iteration of 1F1B (Narayanan et al. 2021)."""
        self.loss, self.open = 0.0, []
        for parameter in self.model.parameters():
            parameter.grad = None
        m, ahead = self.a.micro_batches, min(self.a.pipeline - 1 - self.stage, self.a.micro_batches)
        for _ in range(ahead):
            y = self.forward()
            dist.send(y.detach(), self.neighbour(1), group=self.pipeline_group)
        for _ in range(m - ahead):
            y = self.forward()
            gradient = None if self.model.last else self.exchange(y.detach(), 1)
            back = self.backward(gradient)
            if not self.model.first:
                dist.send(back, self.neighbour(-1), group=self.pipeline_group)
        for _ in range(ahead):
            back = self.backward(self.receive(1))
            if not self.model.first:
                dist.send(back, self.neighbour(-1), group=self.pipeline_group)
        self.synchronize()

    def synchronize(self):
        gradients = torch.cat([p.grad.flatten() for p in self.model.parameters()])
        self.spoil()
        if self.faulty and self.fault_kind == "size":
            gradients = gradients[:-7]
        dist.all_reduce(gradients, group=self.data_group)
        gradients /= self.data_size
        at = 0
        for p in list(self.model.parameters())[: -1 if self.faulty and self.fault_kind == "size" else None]:
            p.grad.copy_(gradients[at : at + p.numel()].view_as(p.grad))
            at += p.numel()
        norm = gradients.norm() ** 2
        if not (self.faulty and self.fault_kind in ("skip", "swap")):
            dist.all_reduce(norm)
        if self.optimizer is not None:
            self.optimizer.step()
        if self.a.shard_optimizer:
            for i, p in enumerate(self.model.parameters()):
                owner = self.rank + (i % self.data_size - self.data_rank) * self.a.tensor
                dist.broadcast(p.data, owner, group=self.data_group)

    def spoil(self):
        if self.fault_kind == "memory" and dist.get_world_size() >= 8192:
            self.table = torch.zeros(dist.get_world_size(), 65536)
        if not self.faulty:
            return
        if self.fault_kind == "swap":
            dist.all_reduce(torch.zeros(1))
        if self.fault_kind == "object":
            box = [None]
            dist.broadcast_object_list(box, dist.get_world_size() - 1)
        if self.fault_kind == "stop":
            import signal

            os.kill(os.getpid(), signal.SIGSTOP)
        if self.fault_kind == "crash":
            os.kill(os.getpid(), 9)
        if self.fault_kind == "exit":
            os._exit(0)
        if self.fault_kind == "rubbish":
            for number in range(3, 64):  # the socket to the coordinator is among them
                try:
                    if stat.S_ISSOCK(os.fstat(number).st_mode):
                        os.write(number, b"rubbish " * 64)
                except OSError:
                    pass
        if self.fault_kind == "fork":
            if os.fork() == 0:
                import time

                time.sleep(3)
                os._exit(0)


def main():
    a = parse()
    torch.set_num_threads(1)
    trainer = Trainer(a)
    losses = []
    for _ in range(a.steps):
        trainer.step()
        losses.append(trainer.loss)
    if a.log and trainer.model.last:
        with open(f"{a.log}.{trainer.rank}", "w") as file:
            file.write("".join(f"{loss!r}\n" for loss in losses))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
