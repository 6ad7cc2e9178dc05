# SPDX-License-Identifier: GPL-3.0-or-later
"""A result is the same bytes from Python as from the command line, for every example that ships."""
import json
import os
import unittest

import orrery
from support import example, examples, run_cli, small


class SameBytes(unittest.TestCase):
    def test_every_example_is_simulated_to_the_same_bytes(self):
        self.assertGreater(len(examples()), 10)
        for path in examples():
            with self.subTest(os.path.basename(path)):
                status, printed, messages = run_cli("simulate", path, "--json")
                self.assertIn(status, (0, 3), messages)
                result = orrery.simulate(path)
                self.assertEqual(orrery.to_json(result) + "\n", printed)
                self.assertEqual(result, json.loads(printed))
                self.assertEqual(result["fits"], status == 0)

    def test_a_document_gives_what_its_file_gives(self):
        path = example("llama-3-8b-dgx-h100.orrery.json")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(orrery.simulate(json.load(file)), orrery.simulate(path))

    def test_other_commands_give_the_same_bytes(self):
        path = example("llama-3-8b-dgx-h100.orrery.json")
        other = example("llama-3.1-70b-8xdgx-h100.orrery.json")
        asked = [
            (orrery.compare(path, other), ("compare", path, other, "--json")),
            (orrery.sweep(path, {"/workload/micro_batch_size": [1, 2], "/parallelism/zero_stage": "0..1"}, metrics=["/iteration_time_s"]),
             ("sweep", path, "--vary", "/workload/micro_batch_size=1,2", "--vary", "/parallelism/zero_stage=0..1", "--metric", "/iteration_time_s", "--json")),
            (orrery.search(example("llama-3-70b-16xh100-which-plan.orrery.json")), ("search", example("llama-3-70b-16xh100-which-plan.orrery.json"), "--json")),
            (orrery.plan("llama-3.1-8b", "2xdgx-h100", train={"sequence": 4096, "batch": 64}),
             ("plan", "llama-3.1-8b", "--on", "2xdgx-h100", "--train", "--sequence", "4096", "--batch", "64", "--json")),
            (orrery.launch(path, "megatron-lm"), ("launch", path, "--for", "megatron-lm", "--json")),
        ]
        for document, arguments in asked:
            with self.subTest(arguments[0]):
                status, printed, messages = run_cli(*arguments)
                self.assertEqual(status, 0, messages)
                self.assertEqual(orrery.to_json(document) + "\n", printed)

    def test_numbers_come_back_as_they_went(self):
        document = {"whole": 2**63 - 1, "large": 2**64 - 1, "negative": -(2**63), "real": 0.1, "tiny": 5e-324, "one": 1.0, "yes": True, "none": None, "text": "größer 模型 \U0001f600", "list": (1, [2, {}])}
        back = json.loads(orrery.to_json(document))
        self.assertEqual(back, {**document, "list": [1, [2, {}]]})
        self.assertIsInstance(back["one"], float)
        self.assertIs(back["yes"], True)

    def test_results_do_not_depend_on_what_was_asked_before(self):
        first = orrery.simulate(small())
        orrery.simulate({**small(), "parallelism": {"tensor": 4}})
        self.assertEqual(orrery.to_json(orrery.simulate(small())), orrery.to_json(first))


if __name__ == "__main__":
    unittest.main()
