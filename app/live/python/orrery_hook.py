# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts Orrery's process group in the place of gloo and nccl in a program that knows nothing of it (PyTorch 1.13).

Nothing happens before the program imports torch.distributed; processes that never do, such as a shell's helpers, are left as they are.
"""
import atexit
import faulthandler
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys

_WATCHED = {
    "torch.distributed.rendezvous": "_replace_stores",
    "torch.distributed.distributed_c10d": "_replace_groups",
    "torch.optim.optimizer": "_mark_steps",
    "torch._tensor": "_watch_decisions",
    "torch.distributed._shard.sharded_tensor.metadata": None,
}
_WATCHED_FOR_CUDA = {
    "torch": "_replace_cuda",
    "torch.nn.parallel.distributed": "_data_parallel",
    "torch.distributed.fsdp.fully_sharded_data_parallel": "_fully_sharded",
}


class LiveObjectError(RuntimeError):
    """The program takes an object from a virtual rank, which has none."""


class _Run:
    """What this process knows of the live run it is in."""

    connection = None
    rank = None
    extension = None

    def __init__(self):
        self.socket = os.environ["ORRERY_LIVE_SOCKET"]
        self.world = int(os.environ["ORRERY_LIVE_WORLD"])
        self.real = [int(rank) for rank in os.environ["ORRERY_LIVE_REAL"].split(",")]
        self.zeros = os.environ.get("ORRERY_LIVE_CONTENT", "share") == "zeros"
        self.own_objects = os.environ.get("ORRERY_LIVE_OBJECTS", "refuse") == "own"
        self.seed = int(os.environ.get("ORRERY_LIVE_SEED", "1"))

    def load(self):
        if self.extension is None:
            path = os.environ["ORRERY_LIVE_EXTENSION"]
            spec = importlib.util.spec_from_file_location("orrery_live", path)
            self.extension = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(self.extension)
            self.extension.watch_memory(int(os.environ.get("ORRERY_LIVE_MEMORY", "0")))
        return self.extension

    def connect(self, rank, world):
        if self.connection is None:
            if world != self.world:
                raise RuntimeError(f"the program asks for {world} ranks, orrery-run was told {self.world}: give --world {world}")
            if rank not in self.real:
                raise RuntimeError(f"rank {rank} is virtual in this run: only {self.real} have processes")
            self.rank = rank
            self.connection = self.load().Connection(self.socket, rank, world)
            atexit.register(self.connection.rest)  # the last of these to be called
            atexit.register(self.connection.tell_memory)
        return self.connection


_run = None


def _replace_stores(module):
    """The coordinator holds the store: nothing listens on a network address."""

    def create(hostname, port, rank, world_size, timeout):
        return _run.load().Store(_run.connect(rank, world_size))

    module._create_c10d_store = create
    plain_file = module._file_rendezvous_handler

    def from_file(url, **options):
        rank = int(module._query_to_dict(module.urlparse(url).query)["rank"])
        world = int(module._query_to_dict(module.urlparse(url).query)["world_size"])
        yield (create("", 0, rank, world, None), rank, world)
        raise RuntimeError("Unable to perform rerendezvous using file:// method")

    if plain_file is not None:
        module._rendezvous_handlers["file"] = from_file


def _replace_groups(module):
    run = _run
    plain_helper = module._new_process_group_helper

    def new_group(group_size, group_rank, global_ranks_in_group, backend, store, pg_options=None, group_name=None, timeout=module.default_pg_timeout):
        if backend == module.Backend.MPI:
            return plain_helper(group_size, group_rank, global_ranks_in_group, backend, store, pg_options, group_name, timeout)
        if not group_name:
            group_name = str(module._group_count)
            module._group_count += 1
        if group_name in module._pg_names.values():
            raise RuntimeError("The specified group name has already been created, please use a different group name")
        is_world = len(global_ranks_in_group) == 0
        members = list(range(group_size)) if is_world else list(global_ranks_in_group)
        connection = run.connect(group_rank if is_world else run.rank, run.world)
        number = module._group_count
        connection.tell_group(number, members)
        if run.rank not in members:
            return module.GroupMember.NON_GROUP_MEMBER
        group = run.load().ProcessGroupOrrery(connection, number, members.index(run.rank), members, run.real, run.zeros, run.seed)
        module._pg_map[group] = (module.Backend(backend), store)
        module._pg_names[group] = group_name
        return group

    module._new_process_group_helper = new_group
    # It would wait for as many ranks as the world has.
    module._store_based_barrier = lambda rank, store, timeout: None
    # Programs ask what they may name; on a CPU as well, since nothing of CUDA is used.
    module.is_nccl_available = lambda: True
    module._check_for_nccl_backend = lambda group: False  # objects travel as tensors on the CPU
    _refuse_virtual_objects(module)


def _refuse_virtual_objects(module):
    """Objects are pickled bytes; a virtual rank has none to send."""
    def refuse(what, ranks):
        named = ", ".join(str(rank) for rank in ranks[:4]) + (" …" if len(ranks) > 4 else "")
        text = f"{what} takes an object from virtual rank {named}, and there is no record of what it would be"
        _run.connection.remark("object-from-virtual-rank: " + text)
        raise LiveObjectError(text + ": make that rank real, or give --objects own where the rank's own object will do")

    def members(group):
        return list(range(_run.world)) if group is None or group is module.GroupMember.WORLD else sorted(module._pg_group_ranks[group])

    def virtual(group):
        return [rank for rank in members(group) if rank not in _run.real]

    def wrap(name, sources, own):
        """`own` says how the rank's own object stands for the others': gathered as often as there are ranks, kept where it is, or not at all."""
        plain = getattr(module, name)

        def asked(*args, **kwargs):
            import inspect

            given = inspect.signature(plain).bind(*args, **kwargs)
            given.apply_defaults()
            ranks = sources(given.arguments)
            if not ranks or given.arguments["group"] is module.GroupMember.NON_GROUP_MEMBER:
                return plain(*args, **kwargs)
            if not _run.own_objects or not own:
                refuse(name, ranks)
            return plain(*args, **kwargs) if own == "gathered" else None

        asked.__name__ = name
        asked.__doc__ = plain.__doc__
        setattr(module, name, asked)

    wrap("all_gather_object", lambda given: virtual(given["group"]), "gathered")
    wrap("gather_object", lambda given: virtual(given["group"]) if given["dst"] == _run.rank else [], "gathered")
    wrap("broadcast_object_list", lambda given: [given["src"]] if given["src"] not in _run.real else [], "kept")
    wrap("scatter_object_list", lambda given: [given["src"]] if given["src"] not in _run.real else [], "")


def _mark_steps(module):
    """The end of an optimizer's step ends an iteration; a step within a step counts as part of it."""
    depth = [0]
    plain_init = module.Optimizer.__init__

    def init(self, *args, **kwargs):
        plain_init(self, *args, **kwargs)
        for cls in type(self).__mro__:
            if cls is not module.Optimizer and "step" in cls.__dict__:
                if not getattr(cls.step, "orrery_marks", False):
                    cls.step = marked(cls.step)
                break

    def marked(plain):
        import functools

        @functools.wraps(plain)
        def step(self, *args, **kwargs):
            depth[0] += 1
            try:
                return plain(self, *args, **kwargs)
            finally:
                depth[0] -= 1
                if depth[0] == 0 and _run.connection is not None:
                    _run.connection.tell_step()

        step.orrery_marks = True
        return step

    module.Optimizer.__init__ = init


def _replace_cuda(module):
    import orrery_cpu_for_cuda

    orrery_cpu_for_cuda.install(module, lambda: _run.load().held_memory())


def _data_parallel(module):
    import orrery_cpu_for_cuda

    orrery_cpu_for_cuda.data_parallel(module)


def _fully_sharded(module):
    import orrery_cpu_for_cuda

    orrery_cpu_for_cuda.fully_sharded(module)


def _exec_with_old_dataclasses(plain_exec, module):
    """PyTorch 1.13 has a dataclass as the default of a dataclass's field, which Python 3.11 refuses unless it can be hashed; FSDP needs it."""
    import dataclasses

    plain_field = dataclasses._get_field

    def field(cls, name, type, keyword_only):
        default = getattr(cls, name, dataclasses.MISSING)
        default = default.default if isinstance(default, dataclasses.Field) else default
        if default.__class__.__hash__ is None and dataclasses.is_dataclass(default):
            default.__class__.__hash__ = object.__hash__
        return plain_field(cls, name, type, keyword_only)

    dataclasses._get_field = field
    try:
        plain_exec(module)
    finally:
        dataclasses._get_field = plain_field


def _watch_decisions(module):
    """A program that decides by a tensor's value may decide otherwise where virtual ranks' numbers are the job's: it is told of, with a hash of what decided."""
    if len(_run.real) == _run.world:
        return
    import zlib

    decided = {"count": 0, "hash": 0, "line": ""}
    plain = module.Tensor.__bool__

    def decide(self):
        value = plain(self)
        if _run.connection is not None:
            frame = sys._getframe(1)
            file = frame.f_code.co_filename
            if not any(part in file for part in ("/dist-packages/", "/site-packages/", "/usr/lib/python")):
                decided["count"] += 1
                decided["hash"] = zlib.crc32(b"1" if value else b"0", decided["hash"])
                decided["line"] = decided["line"] or f"{os.path.basename(file)}:{frame.f_lineno} in {frame.f_code.co_name}"
        return value

    def tell():
        if decided["count"] and _run.connection is not None:
            _run.connection.remark(
                f"the program decided {decided['count']} times by a tensor's value, first at {decided['line']} (hash {decided['hash']:08x}): with virtual ranks such values are not those of the whole job"
            )

    module.Tensor.__bool__ = decide
    atexit.register(tell)


class _Finder(importlib.abc.MetaPathFinder):
    """Changes the modules named above right after they were loaded."""

    def find_spec(self, name, path, target=None):
        if name not in _WATCHED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        plain_exec = spec.loader.exec_module

        def exec_module(module):
            change = _WATCHED[name]
            if change is None:
                return _exec_with_old_dataclasses(plain_exec, module)
            plain_exec(module)
            globals()[change](module)

        spec.loader.exec_module = exec_module
        return spec


def install():
    global _run
    _run = _Run()
    if os.environ.get("ORRERY_LIVE_CUDA") == "cpu":
        _WATCHED.update(_WATCHED_FOR_CUDA)
    sys.meta_path.insert(0, _Finder())
    stacks = os.environ.get("ORRERY_LIVE_STACKS")
    if stacks:
        # The coordinator asks where a rank stands by this signal; it is answered even while the rank waits inside a collective.
        target = open(os.path.join(stacks, f"{os.getpid()}.stack"), "w", encoding="utf-8")
        faulthandler.register(signal.SIGUSR2, file=target, all_threads=False)
