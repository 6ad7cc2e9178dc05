# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever comes in is answered or raised as an error of a kind that one expects; nothing ends the interpreter."""
import copy
import fractions
import math
import random
import unittest
import warnings

import orrery
from orrery import _core
from support import example, small

EXPECTED = (orrery.OrreryError, TypeError, ValueError, KeyError, OverflowError)


class Index:
    def __index__(self):
        return 4


class Bad:
    def __index__(self):
        raise RuntimeError("this index is broken")


class Strange(dict):
    """A dict that changes while it is read."""

    def items(self):
        self.clear()
        return super().items()


def itself():
    loop = []
    loop.append(loop)
    return loop


def deep(depth):
    value = 0
    for _ in range(depth):
        value = {"a": [value]}
    return value


ODD = [
    None, True, False, 0, -1, 1, 7, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308, math.inf, -math.inf, math.nan, 1 + 2j, "", "x", "/", "-", "\0", "\ud800", "größer", "x" * 5000,
    "orrery:", "orrery:AAAA", b"bytes", bytearray(b"b"), [], {}, (), set(), {1: 2}, {"": {}}, [[]], [None], object(), object, len, Index(), fractions.Fraction(1, 3), range(3), itself(), deep(60), deep(5000),
    Strange(a=1), "/dev/null", "/", "orrery:" + "A" * 1000, {"format": "orrery-scenario/1"}, {"model": {"config": {"model_type": "gpt2"}}}, [1, "a", {}],
]


def places(document, way=()):
    yield way
    members = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, member in members:
        yield from places(member, way + (key,))


def reaches(document, way):
    for step in way:
        if not isinstance(document, dict) or step not in document:
            return False
        document = document[step]
    return True


def mutated(pick):
    scenario = copy.deepcopy(small())
    for _ in range(pick.randrange(1, 3)):
        way = pick.choice([way for way in places(small()) if way and reaches(scenario, way)])
        place = scenario
        for step in way[:-1]:
            place = place[step]
        if pick.random() < 0.2:
            del place[way[-1]]
        else:
            place[way[-1]] = pick.choice([one for one in ODD if not isinstance(one, str) or len(one) < 100])
    return scenario


class Arguments(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", orrery.OrreryWarning)

    def ask(self, call):
        """Whether it was answered."""
        try:
            call()
        except EXPECTED as error:
            if isinstance(error, orrery.OrreryError):
                self.assertNotEqual(error.code, "internal-error", error)
            return False
        return True

    def test_odd_values_in_every_place(self):
        functions = [
            lambda x: orrery.simulate(x), lambda x: orrery.estimate(x), lambda x: orrery.Estimates(x), lambda x: orrery.compare(x, small()), lambda x: orrery.explain(small(), x),
            lambda x: orrery.plan(x, "1xdgx-h100"), lambda x: orrery.plan("llama-3.1-8b", x), lambda x: orrery.plan("llama-3.1-8b", "1xdgx-h100", train=x), lambda x: orrery.plan("llama-3.1-8b", "1xdgx-h100", margin=x),
            lambda x: orrery.search(small(), search=x), lambda x: orrery.search(x), lambda x: orrery.sweep(small(), x), lambda x: orrery.sweep(small(), {"/parallelism/tensor": x}),
            lambda x: orrery.sweep(small(), {"/parallelism/tensor": [x]}), lambda x: orrery.sweep(small(), {"/parallelism/tensor": [1]}, metrics=x), lambda x: orrery.sweep(x, {"/parallelism/tensor": [1]}),
            lambda x: orrery.import_launch(x), lambda x: orrery.import_launch("vllm serve x", variables=x), lambda x: orrery.import_launch(file=x), lambda x: orrery.launch(small(), x), lambda x: orrery.launch(x, "vllm"),
            lambda x: orrery.traces(x), lambda x: orrery.traces(what=x), lambda x: orrery.traces(what="plan", scenario=x), lambda x: orrery.catalogue(x), lambda x: orrery.catalogue("models", x), lambda x: orrery.schema(x),
            lambda x: orrery.validate(x), lambda x: orrery.to_json(x), lambda x: orrery.rows(x if isinstance(x, dict) else {}), lambda x: orrery.OrreryError(x if isinstance(x, list) and all(isinstance(y, dict) for y in x) else []),
            lambda x: _core.ask(x, {}), lambda x: _core.ask("simulate", x), lambda x: _core.Estimates().at(x), lambda x: _core.Estimates().prepare(x),
        ]
        answered = 0
        for function in functions:
            for value in ODD:
                answered += self.ask(lambda: function(value))
        print(f"{answered} of {len(functions) * len(ODD)} odd questions were answered, the others refused")

    def test_mutated_scenarios(self):
        pick = random.Random(45)
        estimates = orrery.Estimates(small())
        answered = 0
        for _ in range(200):
            scenario = mutated(pick)
            answered += self.ask(lambda: orrery.validate(scenario))
            answered += self.ask(lambda: orrery.estimate(scenario))
            answered += self.ask(lambda: estimates({pick.choice(["/parallelism/tensor", "/parallelism", "", "/", "/workload/micro_batch_size", "/execution/recompute", "/cluster/nodes"]): pick.choice(ODD)}))
        self.assertGreater(answered, 100)
        self.assertGreater(estimates()["iteration_time_s"], 0)

    def test_what_counts_as_a_number_does(self):
        scenario = small()
        scenario["parallelism"]["tensor"] = Index()
        other = small()
        other["parallelism"]["tensor"] = 4
        self.assertEqual(orrery.simulate(scenario), orrery.simulate(other))
        scenario["parallelism"]["tensor"] = Bad()
        with self.assertRaisesRegex(RuntimeError, "broken"):
            orrery.simulate(scenario)

    def test_faults_of_documents_say_where(self):
        scenario = small()
        scenario["workload"]["sequence_length"] = math.nan
        with self.assertRaisesRegex(ValueError, "/scenario/workload/sequence_length"):
            orrery.simulate(scenario)
        scenario["workload"]["sequence_length"] = {1, 2}
        with self.assertRaisesRegex(TypeError, "/scenario/workload/sequence_length.*set"):
            orrery.simulate(scenario)

    def test_nothing_leaks(self):
        """Ten thousand documents go in and out without the process growing by what they hold."""
        import resource
        document = orrery.simulate(small())

        def round_trips():
            for _ in range(100):
                orrery.to_json(document)
                self.ask(lambda: orrery.to_json({"a": object()}))
                self.ask(lambda: orrery.validate({"a": deep(90)}))
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = [round_trips() for _ in range(3)][-1]
        self.assertLess(round_trips() - before, 20_000)  # KiB

    def test_examples_by_any_name(self):
        self.assertTrue(self.ask(lambda: orrery.validate(example("llama-3-8b-dgx-h100.orrery.json"))))


if __name__ == "__main__":
    unittest.main()
