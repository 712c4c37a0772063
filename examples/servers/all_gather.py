"""all_gather.py RANK RANKS MIB: all-gathers by gloo, of which each rank sends MIB MiB in all."""
import os, statistics, sys, time
import torch, torch.distributed as distributed

rank, ranks, mib = (int(word) for word in sys.argv[1:4])
os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29511")
torch.set_num_threads(1)
distributed.init_process_group("gloo", rank=rank, world_size=ranks)
mine = torch.full(((mib << 18) // (ranks - 1),), float(rank))
theirs = [torch.empty_like(mine) for _ in range(ranks)]
took = []
for _ in range(20):
    distributed.barrier()
    begun = time.perf_counter()
    distributed.all_gather(theirs, mine)
    took.append(time.perf_counter() - begun)
assert all(bool((one == at).all()) for at, one in enumerate(theirs))
if rank == 0:
    print(f"{ranks} ranks: median {1000 * statistics.median(took):.0f} ms")
