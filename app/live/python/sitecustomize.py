# SPDX-License-Identifier: GPL-3.0-or-later
"""Python runs this file at its start where orrery-run has put its folder first on the path: it makes PyTorch's process groups Orrery's.

The site's own sitecustomize, if there is one, runs as well.
"""
import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _run_next():
    """Runs the sitecustomize that would have run without us."""
    rest = [folder for folder in sys.path if os.path.abspath(folder or ".") != _here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


_run_next()
if "ORRERY_LIVE_SOCKET" in os.environ:
    import orrery_hook

    orrery_hook.install()
