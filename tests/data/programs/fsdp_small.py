# SPDX-License-Identifier: GPL-3.0-or-later
"""Fully sharded data parallel round a small network, as a program for CUDA devices writes it. It knows nothing of Orrery."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel


def main():
    dist.init_process_group("nccl")
    device = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    model = nn.Sequential(FullyShardedDataParallel(nn.Linear(16, 32).cuda()), nn.ReLU(), nn.Linear(32, 1).cuda())
    model = FullyShardedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.ones(4, 16, device="cuda") * (dist.get_rank() + 1)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    # The same network in one process, on the mean of all ranks' losses.
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(plain.parameters(), lr=1e-2)
    for expected in losses:
        optimizer.zero_grad()
        each = [plain(torch.ones(4, 16) * (rank + 1)).pow(2).mean() for rank in range(dist.get_world_size())]
        assert abs(each[dist.get_rank()].item() - expected) <= 1e-5 * (1 + expected), (each, expected)
        (sum(each) / len(each)).backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
