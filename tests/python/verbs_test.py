# SPDX-License-Identifier: GPL-3.0-or-later
"""Each function does what its command does."""
import glob
import math
import os
import pathlib
import unittest
import warnings

import orrery
from support import SHARED, SOURCE, example, small


class Verbs(unittest.TestCase):
    def test_estimates_are_near_simulations(self):
        estimate, result = orrery.estimate(small()), orrery.simulate(small())
        self.assertEqual(estimate["method"], "estimate")
        self.assertLess(abs(estimate["iteration_time_s"] / result["iteration_time_s"] - 1), 0.1)
        self.assertLess(abs(estimate["memory"]["peak_bytes"] / result["memory"]["peak_bytes"] - 1), 0.1)
        served = orrery.estimate(example("llama-3.1-70b-h100-batch.orrery.json"))
        self.assertEqual(served["method"], "simulation")

    def test_the_parts_of_a_comparison_sum_to_its_difference(self):
        other = small()
        other["parallelism"] = {"tensor": 4}
        comparison = orrery.compare(small(), other)
        self.assertAlmostEqual(math.fsum(part["delta"] for part in comparison["parts"]), comparison["difference"], delta=1e-9)
        self.assertEqual(comparison["a"], orrery.simulate(small())["iteration_time_s"])
        saved = orrery.compare(orrery.simulate(small()), orrery.simulate(other))
        self.assertEqual(saved["difference"], comparison["difference"])

    def test_a_search_finds_the_least_of_a_sweep(self):
        vary = {"/parallelism/tensor": [1, 2, 4], "/workload/micro_batch_size": [1, 2, 4]}
        found = orrery.search(small(), search={"vary": vary, "objective": {"minimize": "/iteration_time_s"}})
        swept = orrery.rows(orrery.sweep(small(), vary, metrics=["/iteration_time_s"]))
        self.assertEqual(len(swept), 9)
        best = min((row for row in swept if row["fits"]), key=lambda row: row["/iteration_time_s"])
        self.assertEqual({key: best[key] for key in vary}, {key: found["best"][0]["changes"][key] for key in vary})
        self.assertEqual(orrery.rows(found)[0]["/parallelism/tensor"], best["/parallelism/tensor"])

    def test_a_plan_has_a_launch_and_fits(self):
        plan = orrery.plan("llama-3.1-8b", "2xdgx-h100", serve={"rate": 10, "ttft": 1})
        self.assertEqual(plan["format"], "orrery-plan/1")
        self.assertTrue(plan["launch"])

    def test_explanations_say_formula_and_value(self):
        explained = orrery.explain(small(), ["/iteration_time_s"])["explanations"]["/iteration_time_s"]
        self.assertEqual(explained["value"], orrery.simulate(small())["iteration_time_s"])

    def test_a_launch_comes_back_as_the_scenario(self):
        text = orrery.launch(small(), "megatron-lm")["text"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", orrery.OrreryWarning)
            imported = orrery.import_launch(text)
        self.assertEqual(imported["parallelism"]["tensor"], 2)
        self.assertEqual(imported["parallelism"]["pipeline"], 2)
        with self.assertWarns(orrery.OrreryWarning):
            orrery.import_launch("vllm serve meta-llama/Llama-3.1-8B-Instruct --no-such-flag 3\n")

    def test_traces_of_a_simulated_job_are_read(self):
        files = sorted(glob.glob(os.path.join(SHARED, "traces", "**", "*.json.gz"), recursive=True))
        if not files:
            self.skipTest("no recorded traces here")
        files.sort(key=os.path.getsize)
        read = orrery.traces(files[0])
        self.assertEqual(list(read["traces"]), [files[0]])
        self.assertEqual(orrery.traces(what="plan", scenario=small())["format"].split("/")[0].split("-")[0], "orrery")

    def test_paths_variants_and_texts_stand_for_scenarios(self):
        path = pathlib.Path(example("llama-3-8b-dgx-h100.orrery.json"))
        self.assertEqual(orrery.simulate(path), orrery.simulate(str(path)))
        with self.assertRaises(orrery.OrreryError) as raised:
            orrery.simulate(path / "nowhere")
        self.assertEqual(raised.exception.pointer, "/scenario")

    def test_catalogue_and_schema(self):
        names = [entry["id"] for entry in orrery.catalogue("accelerators", "H100")]
        self.assertIn("h100-sxm5-80gb", names)
        self.assertIn("tensor", orrery.schema("parallelism")["properties"])
        self.assertIn("properties", orrery.schema())
        self.assertTrue(orrery.validate(small())["valid"])

    def test_rows_are_what_data_frames_take(self):
        operations = orrery.rows(orrery.simulate(small()))
        self.assertTrue(all(set(row) == set(operations[0]) for row in operations))
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                orrery.frame(orrery.simulate(small()))
        else:
            self.assertEqual(len(orrery.frame(orrery.simulate(small()))), len(operations))

    def test_the_package_has_its_licence_line(self):
        for name in glob.glob(os.path.join(SOURCE, "app", "python", "orrery", "*.py*")):
            with open(name, encoding="utf-8") as file:
                self.assertEqual(file.readline(), "# SPDX-License-Identifier: GPL-3.0-or-later\n", name)


if __name__ == "__main__":
    unittest.main()
