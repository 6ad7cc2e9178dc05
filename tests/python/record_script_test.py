# SPDX-License-Identifier: GPL-3.0-or-later
"""The script that measures a machine runs here, on the CPU, and the profile made of it predicts steps that nothing was fitted to."""
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import unittest

import orrery
from support import run_cli

JOB = """
import torch

layer = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
calls = 0


def step():
    global calls
    calls += 1
    optimizer.zero_grad()
    layer(torch.ones(8, 64)).sum().backward()
    optimizer.step()
"""


class RecordScript(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.script = cls.path("record.py")
        status, printed, messages = run_cli("record-script", "--out", cls.script)
        assert status == 0 and "calibrate" in printed, messages
        with open(cls.path("job.py"), "w", encoding="utf-8") as file:
            file.write(JOB)
        cls.record("recorded.json", "--job", cls.path("job.py"))
        with open(cls.path("recorded.json"), encoding="utf-8") as file:
            cls.recording = json.load(file)
        status, printed, messages = run_cli("calibrate", cls.path("recorded.json"), "--out", cls.path("mine.orrery-profile.json"), "--json")
        assert status == 0, printed + messages
        cls.profile = json.loads(printed)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def record(cls, out, *more):
        done = subprocess.run([sys.executable, "-B", cls.script, "--quick", "--device", "cpu", "--out", cls.path(out), *more], env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr

    def test_it_needs_torch_and_nothing_else(self):
        import ast
        with open(self.script, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        names = {name.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        names |= {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        self.assertEqual(names - set(sys.stdlib_module_names), {"torch"})

    def test_the_profile_predicts_a_step_that_was_not_fitted(self):
        checks = [run for run in self.recording["runs"] if run["use"] == "check"]
        self.assertTrue(checks)
        for run in checks:
            measured = statistics.median(run["step_seconds"])
            scenario = {**run["scenario"], "cluster": {"accelerator": self.profile["machine"]["accelerator"], "accelerators_per_node": 1, "nodes": 1}}
            scenario["execution"] = {**scenario["execution"], "profile": "mine.orrery-profile.json"}
            file = self.path("step.orrery.json")
            with open(file, "w", encoding="utf-8") as out:
                json.dump(scenario, out)
            after = orrery.simulate(file)["iteration_time_s"]
            del scenario["execution"]["profile"]
            scenario["cluster"]["accelerator"] = self.profile["machine"]["described"]
            before = orrery.simulate(scenario)["iteration_time_s"]
            print(f"{run['name']}: measured {measured:.4f} s, before {before:.4f} s ({before / measured - 1:+.1%}), after {after:.4f} s ({after / measured - 1:+.1%})")
            self.assertLess(abs(after / measured - 1), 0.1)
            self.assertLess(abs(after / measured - 1), abs(before / measured - 1))

    def test_errors_on_what_was_not_fitted_stand_apart(self):
        errors = self.profile["errors"]
        steps = [figure for figure in self.profile["figures"] if figure["use"] == "left_out"]
        self.assertEqual(errors["not_fitted"]["count"], len(steps))
        self.assertEqual({figure["metric"] for figure in steps}, {"iteration_time_s"})
        self.assertLess(errors["not_fitted"]["mean_abs_error_percent_after"], errors["not_fitted"]["mean_abs_error_percent_before"])
        self.assertLess(errors["fitted"]["mean_abs_error_percent_after"], errors["fitted"]["mean_abs_error_percent_before"])
        with open(self.path("mine.orrery-profile.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), self.profile)

    def test_the_user_s_own_job_is_measured(self):
        self.assertEqual(self.recording["job"]["file"], "job.py")
        self.assertEqual(len(self.recording["job"]["step_seconds"]), 2)

    def test_machine_and_versions_are_named(self):
        import torch
        self.assertEqual(self.recording["software"]["torch"], torch.__version__)
        self.assertIn(torch.__version__, self.profile["software"]["framework_version"])
        self.assertEqual(self.profile["notes"]["machine"], self.recording["machine"])
        self.assertGreater(self.recording["machine"]["peak_tflops"], 0)

    def test_collectives_of_a_process_group(self):
        out = self.path("together.json")
        program = ("import json, runpy\nnames = runpy.run_path('record.py')\nmachine = names['Machine']('cpu')\nrows = names['measured_collectives'](machine, [1 << 16], 0.1)\n"
                   "if machine.rank == 0:\n    json.dump(rows, open('together.json', 'w'))\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        # As torchrun starts them; Debian's own torchrun does not run with its Python.
        place = {**os.environ, "OMP_NUM_THREADS": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
        ranks = [subprocess.Popen([sys.executable, "-B", "-c", program], cwd=self.folder.name, env={**place, "RANK": str(rank)}, stderr=subprocess.PIPE, encoding="utf-8") for rank in (0, 1)]
        for rank in ranks:
            self.assertEqual(rank.wait(timeout=120), 0, rank.stderr.read())
            rank.stderr.close()
        with open(out, encoding="utf-8") as file:
            rows = json.load(file)
        self.assertEqual({row["op"] for row in rows}, {"all_reduce", "all_gather", "broadcast"})
        self.assertTrue(all(row["ranks"] == 2 and row["seconds"] > 0 for row in rows))

    def test_what_is_no_recording_is_refused_with_a_mend(self):
        for change in ({"machine": None}, {"runs": []}, {"runs": [{"name": "x"}]}, {"machine": {**self.recording["machine"], "peak_tflops": -1}}):
            wrong = self.path("wrong.json")
            with open(wrong, "w", encoding="utf-8") as file:
                json.dump({**self.recording, **change}, file)
            status, printed, _ = run_cli("calibrate", wrong, "--json")
            self.assertEqual(status, 2, printed)
            self.assertTrue(all(problem["mend"] for problem in json.loads(printed)["problems"]))
        status, printed, _ = run_cli("calibrate", self.path("recorded.json"), "--accelerator", "h100-sxm5-80gbb", "--json")
        self.assertEqual(status, 2)
        self.assertIn("h100-sxm5-80gb", printed)


if __name__ == "__main__":
    unittest.main()
