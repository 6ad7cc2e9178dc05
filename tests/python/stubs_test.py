# SPDX-License-Identifier: GPL-3.0-or-later
"""The stubs name what is there, with the same arguments, and everything public says what it does."""
import ast
import inspect
import os
import unittest

import orrery
from orrery import _core


def stub(name):
    with open(os.path.join(os.path.dirname(orrery.__file__), name), encoding="utf-8") as file:
        return ast.parse(file.read())


def arguments(function):
    """Names of a stub's function: those by place, and those by name alone; with whether each may be left out."""
    given = function.args
    by_place = [argument.arg for argument in given.args]
    left_out = dict(zip(reversed(by_place), [True] * len(given.defaults)))
    return ([(name, left_out.get(name, False)) for name in by_place], [(argument.arg, default is not None) for argument, default in zip(given.kwonlyargs, given.kw_defaults)])


def real_arguments(function):
    parameters = inspect.signature(function).parameters.values()
    may = lambda parameter: parameter.default is not inspect.Parameter.empty  # noqa: E731
    return ([(one.name, may(one)) for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD], [(one.name, may(one)) for one in parameters if one.kind is one.KEYWORD_ONLY])


class Stubs(unittest.TestCase):
    def test_functions_have_the_arguments_that_they_have(self):
        functions = {node.name: node for node in stub("__init__.pyi").body if isinstance(node, ast.FunctionDef)}
        classes = {node.name: node for node in stub("__init__.pyi").body if isinstance(node, ast.ClassDef)}
        self.assertEqual(set(functions) | set(classes), set(orrery.__all__))
        for name, node in functions.items():
            self.assertEqual(arguments(node), real_arguments(getattr(orrery, name)), name)
        for name, node in classes.items():
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    self.assertEqual(arguments(method), real_arguments(getattr(getattr(orrery, name), method.name)), f"{name}.{method.name}")

    def test_the_compiled_part_has_what_its_stub_names(self):
        for node in stub("_core.pyi").body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.assertTrue(hasattr(_core, node.name), node.name)

    def test_everything_says_what_it_does(self):
        self.assertTrue(orrery.__doc__)
        for name in orrery.__all__:
            self.assertGreater(len(inspect.getdoc(getattr(orrery, name)) or ""), 30, name)

    def test_the_contract_s_names_are_there(self):
        for name in ("simulate", "estimate", "plan", "search", "sweep", "compare", "explain", "import_launch", "launch", "traces"):
            self.assertTrue(callable(getattr(orrery, name)))


if __name__ == "__main__":
    unittest.main()
