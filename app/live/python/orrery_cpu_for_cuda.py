# SPDX-License-Identifier: GPL-3.0-or-later
"""A CPU in the place of CUDA devices, for programs that name them (orrery-run --cuda-on-cpu; PyTorch 1.13).

Devices are accepted and mean the CPU; streams and events are there and do nothing, since everything runs in order. No kernel of CUDA is
imitated: times are the CPU's, memory is what tensors hold. FSDP, which refuses a CPU, takes this one.
"""
import contextlib
import functools
import os


class Stream:
    """Work on the CPU is over when the call returns."""

    def __init__(self, device=None, priority=0, **options):
        self.device = device

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        return event or Event()

    def synchronize(self):
        pass

    def query(self):
        return True


class Event:
    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self.at = None

    def record(self, stream=None):
        import time

        self.at = time.thread_time()

    def wait(self, stream=None):
        pass

    def query(self):
        return True

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return (end.at - self.at) * 1e3


_FACTORIES = ("empty", "zeros", "ones", "full", "tensor", "arange", "linspace", "rand", "randn", "randint", "randperm", "eye", "as_tensor", "load") + tuple(
    f"{name}_like" for name in ("empty", "zeros", "ones", "full", "rand", "randn")
)


def install(torch, held_memory):
    cpu = torch.device("cpu")

    def here(device):
        """Any CUDA device, by name, number or object, is the CPU."""
        if isinstance(device, int) and not isinstance(device, bool):
            return cpu
        if isinstance(device, (str, torch.device)) and str(device).startswith("cuda"):
            return cpu
        return device

    def with_device(plain, positional):
        @functools.wraps(plain)
        def call(*args, **kwargs):
            if "device" in kwargs:
                kwargs["device"] = here(kwargs["device"])
            if "map_location" in kwargs:
                kwargs["map_location"] = here(kwargs["map_location"])
            if positional:
                args = args[:1] + tuple(here(value) for value in args[1:])
            return plain(*args, **kwargs)

        return call

    for name in _FACTORIES:
        setattr(torch, name, with_device(getattr(torch, name), False))
    torch.Tensor.to = with_device(torch.Tensor.to, True)
    torch.Tensor.cuda = lambda self, device=None, non_blocking=False, memory_format=None: self
    torch.Tensor.pin_memory = lambda self, device=None: self
    torch.Tensor.record_stream = lambda self, stream: None
    torch.nn.Module.to = with_device(torch.nn.Module.to, True)
    torch.nn.Module.cuda = lambda self, device=None: self

    cuda = torch.cuda
    cuda.is_available = lambda: True
    cuda.is_initialized = lambda: True
    cuda.device_count = lambda: int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    cuda.current_device = lambda: int(os.environ.get("LOCAL_RANK", "0"))
    cuda.set_device = lambda device: None
    cuda.get_device_name = lambda device=None: "CPU in place of a CUDA device"
    cuda.init = cuda.empty_cache = lambda: None
    cuda.synchronize = cuda.reset_peak_memory_stats = lambda device=None: None
    cuda.manual_seed = cuda.manual_seed_all = lambda seed: None
    cuda.memory_allocated = lambda device=None: held_memory()[0]
    cuda.max_memory_allocated = cuda.max_memory_reserved = lambda device=None: held_memory()[1]
    cuda.Stream, cuda.Event = Stream, Event
    cuda.current_stream = cuda.default_stream = lambda device=None: Stream()
    cuda.stream = lambda stream: contextlib.nullcontext()
    cuda.device = lambda device: contextlib.nullcontext()


def data_parallel(module):
    """torch.nn.parallel.distributed: a module on the CPU takes no list of devices."""
    plain = module.DistributedDataParallel.__init__

    @functools.wraps(plain)
    def init(self, wrapped, device_ids=None, output_device=None, *args, **kwargs):
        plain(self, wrapped, None, None, *args, **kwargs)

    module.DistributedDataParallel.__init__ = init


def fully_sharded(module):
    """torch.distributed.fsdp.fully_sharded_data_parallel: the device to compute on is the CPU, whatever the program names."""
    import torch

    def compute_device(self, *args, **kwargs):
        return torch.device("cpu")

    module.FullyShardedDataParallel._get_compute_device = compute_device
    module.FullyShardedDataParallel._get_device_from_device_id = lambda self, device_id: torch.device("cpu") if device_id is not None else None
