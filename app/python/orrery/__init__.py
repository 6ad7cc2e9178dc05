# SPDX-License-Identifier: GPL-3.0-or-later
"""Orrery: simulates GPU clusters that train and serve large language models.

Scenarios and results are dicts of the forms that the command line reads and prints. Wherever a scenario is asked for it may be

- the document itself, as a dict;
- the path of its file (``"plan.orrery.json"``, or ``"plan.orrery.json#tensor 4"`` for a variant), as str or pathlib.Path;
- a text that begins with ``"orrery:"``.

>>> import orrery
>>> result = orrery.simulate({"model": {"preset": "llama-3.1-8b"}, ...})
>>> result["iteration_time_s"]

What is wrong raises OrreryError with a pointer and a mend. Other threads run while Orrery computes; Ctrl-C stops it.
"""

import os as _os
import warnings as _warnings

from . import _core

__version__ = _core.version
__all__ = [
    "simulate", "estimate", "Estimates", "plan", "search", "sweep", "compare", "explain", "validate", "import_launch", "launch", "traces",
    "catalogue", "schema", "rows", "frame", "to_json", "OrreryError", "OrreryWarning",
]


class OrreryError(Exception):
    """The question can't be answered. The first problem's parts are attributes, ``problems`` has all of them as dicts."""

    def __init__(self, problems):
        self.problems = list(problems)
        first = self.problems[0] if self.problems else {}
        self.code = first.get("code", "")
        self.pointer = first.get("pointer", "")  # into the scenario, or into the arguments
        self.file = first.get("file", "")
        self.message = first.get("message", "")
        self.mend = first.get("mend", "")
        super().__init__(self.message + (" " + self.mend if self.mend else ""))

    def __reduce__(self):
        return (type(self), (self.problems,))


class OrreryWarning(UserWarning):
    """Something to know of an answer that was given all the same."""


def _refuse(code, pointer, message, mend):
    raise OrreryError([{"code": code, "pointer": pointer, "message": message, "mend": mend}])


def _named(value):
    """A path as a str, anything else as it is."""
    return _os.fspath(value) if isinstance(value, _os.PathLike) else value


def _ask(verb, **arguments):
    given = {key.rstrip("_"): _named(value) for key, value in arguments.items() if value is not None}
    document, notes, is_error = _core.ask(verb, given)
    if is_error:
        raise OrreryError(document.get("problems", []))
    for line in notes.splitlines():
        if line.startswith("warning: "):
            _warnings.warn(line[len("warning: "):], OrreryWarning, stacklevel=3)
    return document


def simulate(scenario):
    """Simulates a scenario of any kind: ``orrery-cli simulate --json``.

    A scenario that does not fit the memory has ``fits: False`` and the changes that would make it fit; that is no error."""
    return _ask("simulate", scenario=scenario, detail="full")


def estimate(scenario):
    """Time and peak memory of a training iteration without a simulation, a few percent from it; other work is simulated.

    For many estimates of one scenario use Estimates, which keeps what it finds out."""
    return _ask("estimate", scenario=scenario)


class Estimates:
    """Many estimates of one training scenario.

    >>> estimates = orrery.Estimates("plan.orrery.json")
    >>> estimates({"/parallelism/tensor": 4, "/workload/micro_batch_size": 2})["iteration_time_s"]

    What is found out for one is kept for the next: changes of the plan (``/parallelism/…``, ``/workload/micro_batch_size``, ``/execution/recompute``,
    ``/execution/overlap/…``, ``/execution/offload/…``) cost some ten microseconds once all of their values were seen. An answer does not depend on what was
    asked before. Threads may share one; they take turns."""

    def __init__(self, scenario):
        self._core = _core.Estimates()
        refused = self._core.prepare({"scenario": _named(scenario)})
        if refused is not None:
            raise OrreryError(refused["problems"])

    def __call__(self, changes={}):
        """The estimate after these changes: a dict of pointers into the scenario and values; None removes a key."""
        document, is_error = self._core.at(changes)
        if is_error:
            raise OrreryError(document["problems"])
        return document


def plan(model, on, *, train=None, serve=None, margin=None, network=None, framework=None, precision=None):
    """The best plan for a model on a machine, two others, the reasons and the launch command: ``orrery-cli plan MODEL --on NxPLATFORM``.

    ``train``: a dict of ``sequence`` and ``batch``. ``serve``: a dict of ``rate``, ``input``, ``output``, ``ttft``, ``tpot``. Neither: train."""
    return _ask("plan", model=model, machine=on, train=train, serve=serve, margin=margin, network=network, framework=framework, precision=precision, detail="full")


def search(scenario, *, search=None, most=None, exhaustive=None):
    """The best combinations of a scenario's ``search``, or of the one given: ``orrery-cli search --json``."""
    scenario = _named(scenario)
    if search is not None and not isinstance(scenario, dict):
        _refuse("conflicting-keys", "/search", "A search is given beside a scenario that is a file's.", "Load the file as a dict, or write the search into it.")
    return _ask("search", scenario=scenario, search=search, most=most, exhaustive=exhaustive, detail="full")


def sweep(scenario, vary, *, metrics=None, most=None):
    """Every combination of values: ``orrery-cli sweep --json``. ``vary``: pointers, each with a list of values or a text such as ``"1..8"``."""
    return _ask("sweep", scenario=scenario, vary=vary, metrics=metrics, most=most, detail="full")


def compare(a, b, *, metric=None):
    """Where the difference between A and B comes from, in parts that sum to it, and how sure it is: ``orrery-cli compare --json``.

    Each is a scenario or a result; or both are recorded traces, or folders of them."""
    return _ask("compare", a=a, b=b, metric=metric, detail="full")


def explain(scenario, pointers=None):
    """Formula, inputs and sources of a result's figures, and the causes of its time."""
    return _ask("explain", scenario=scenario, pointers=pointers)


def validate(scenario):
    """What is wrong with a scenario, as ``valid`` and ``problems`` with pointers and mends; raises nothing for that."""
    return _ask("validate_input", scenario=scenario)


def import_launch(text=None, *, file=None, accelerator=None, model=None, variables=None):
    """A launch of Megatron-LM, torchtitan, DeepSpeed, vLLM, SGLang or TensorRT-LLM as a scenario; what was not understood is warned of."""
    return _ask("import_launch", text=text, file=file, accelerator=accelerator, model=model, variables=variables)


def launch(scenario, tool):
    """The command that starts a scenario, as ``text``; ``tool``: megatron-lm, megatron-bridge, torchtitan, vllm, sglang or trtllm."""
    return _ask("launch", scenario=scenario, for_=tool)


def traces(files=None, what="info", *, scenario=None, accelerator=None, model=None):
    """What recorded traces say: ``orrery-cli trace WHAT --json``.

    ``info``: what is in them. ``replay``: all ranks together. ``flight``: a job that stands still. ``scenario``: the recorded job as a scenario.
    ``beside``: a simulation beside a record. ``hybrid``, ``plan``: of a scenario, without files."""
    if isinstance(files, (str, _os.PathLike)):
        files = [files]
    if files is not None:
        files = [_named(file) for file in files]
    return _ask("traces", files=files, what=what, scenario=scenario, accelerator=accelerator, model=model, detail="full")


def catalogue(what, match=None):
    """Entries of the catalogue with their sources: models, accelerators, platforms or frameworks."""
    return _ask("list", what=what, match=match, detail="full")[what]


def schema(section=None):
    """The JSON Schema of scenarios, or of one of their sections."""
    return _ask("scenario_schema", section=section)


def to_json(document):
    """The document as the command line prints it, byte for byte, without the last line end."""
    return _core.to_json(document)


def _flat(row):
    flat = {}
    for key, value in row.items():
        if key in ("changes", "metrics") and isinstance(value, dict):
            flat.update(value)
        else:
            flat[key] = value
    return flat


# The list that a document of each form is about.
_LISTS = {
    "orrery-sweep/1": "points", "orrery-search/1": "best", "orrery-comparison/1": "parts", "orrery-result/1": "operations", "orrery-validation/1": "cases",
}


def rows(document, key=None):
    """The rows of a document, each a flat dict: a sweep's points, a search's best, a comparison's parts, a result's operations; or of the list ``key``."""
    named = key if key is not None else _LISTS.get(document.get("format"))
    found = document.get(named) if named is not None else None
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        lists = sorted(name for name, value in document.items() if isinstance(value, list) and value and isinstance(value[0], dict))
        _refuse("no-rows", "", "The document has no rows" + (' "%s".' % key if key is not None else "."), "Name one of its lists: " + (", ".join(lists) or "there are none") + ".")
    return [_flat(row) for row in found]


def frame(document, key=None):
    """The same as a pandas.DataFrame; pandas must be installed (Debian: python3-pandas)."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("orrery.frame needs pandas (Debian: python3-pandas); orrery.rows does without.") from error
    return pandas.DataFrame(rows(document, key))
