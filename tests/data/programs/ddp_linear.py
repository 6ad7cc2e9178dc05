# SPDX-License-Identifier: GPL-3.0-or-later
"""DistributedDataParallel and ZeroRedundancyOptimizer round a small network, with a barrier, groups and a gather. It knows nothing of Orrery."""
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("nccl" if dist.is_nccl_available() else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1)))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.Adam, lr=1e-3)
    for _ in range(5):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 20)).pow(2).mean()
        loss.backward()
        optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    assert torch.isfinite(total)
    gathered = [torch.empty(2) for _ in range(world)]
    dist.all_gather(gathered, torch.full((2,), float(rank)))
    assert torch.equal(gathered[rank], torch.full((2,), float(rank)))
    share = torch.empty(3)
    dist.reduce_scatter(share, [torch.ones(3) for _ in range(world)])
    assert torch.allclose(share, torch.full((3,), float(world)))
    out, given = torch.empty(world), torch.arange(world, dtype=torch.float32)
    dist.all_to_all_single(out, given)
    assert out[rank] == rank
    pair = dist.new_group([rank // 2 * 2, rank // 2 * 2 + 1]) if world == 2 else dist.new_group(list(range(world)))
    dist.barrier(group=pair)
    if world == 2:
        # Every parameter is the same at both, and sums are what both gave.
        for parameter in model.parameters():
            others = [torch.empty_like(parameter) for _ in range(2)]
            dist.all_gather(others, parameter.detach())
            assert torch.equal(others[0], others[1])
        objects = [None, None]
        dist.all_gather_object(objects, {"rank": rank})
        assert objects == [{"rank": 0}, {"rank": 1}]
        one = torch.tensor([rank + 1])
        dist.all_reduce(one, op=dist.ReduceOp.MAX)
        assert one.item() == 2
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
