# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong is raised as one class, with what, where and the mend."""
import pickle
import unittest

import orrery
from support import example, small


class Errors(unittest.TestCase):
    def refused(self, call, code=None, pointer=None):
        with self.assertRaises(orrery.OrreryError) as raised:
            call()
        error = raised.exception
        self.assertTrue(error.code and error.message and error.mend, error.problems)
        self.assertIn(error.message, str(error))
        if code:
            self.assertEqual(error.code, code)
        if pointer is not None:
            self.assertEqual(error.pointer, pointer)
        return error

    def test_a_misspelt_key_has_its_pointer_and_the_nearest_name(self):
        scenario = small()
        scenario["parallelism"]["tensr"] = 2
        error = self.refused(lambda: orrery.simulate(scenario), "unknown-key", "/parallelism/tensr")
        self.assertIn("tensor", error.message + error.mend)

    def test_unknown_names_get_the_nearest(self):
        self.assertIn("llama-3.1-8b", str(self.refused(lambda: orrery.plan("llama-3.1-8bb", "2xdgx-h100"))))
        self.assertIn("dgx-h100", str(self.refused(lambda: orrery.plan("llama-3.1-8b", "2xdgx-h10"))))
        self.refused(lambda: orrery.launch(small(), "megatron"))
        self.refused(lambda: orrery.traces("nowhere.json"), "cannot-read-file", "/files/0")
        self.refused(lambda: orrery.traces(), "missing-key")
        self.refused(lambda: orrery.catalogue("chips"))
        self.refused(lambda: orrery.explain(small(), ["/iteration_tim_s"]), "no-explanation", "/pointers/0")

    def test_several_problems_are_all_there(self):
        scenario = small()
        scenario["parallelism"]["tensr"] = 2
        scenario["workload"]["sequence_lenght"] = 2
        error = self.refused(lambda: orrery.simulate(scenario))
        self.assertEqual({"/parallelism/tensr", "/workload/sequence_lenght"}, {problem["pointer"] for problem in error.problems} & {"/parallelism/tensr", "/workload/sequence_lenght"})

    def test_what_does_not_fit_is_a_result(self):
        scenario = small()
        scenario["model"] = {"preset": "llama-3.1-405b"}
        scenario["workload"]["sequence_length"] = 8192
        result = orrery.simulate(scenario)
        self.assertFalse(result["fits"])
        self.assertGreater(result["out_of_memory"]["needed_bytes"], result["out_of_memory"]["capacity_bytes"])

    def test_a_search_beside_a_file_is_refused(self):
        self.refused(lambda: orrery.search(example("llama-3-8b-dgx-h100.orrery.json"), search={"vary": {}}), "conflicting-keys", "/search")

    def test_estimates_say_what_is_wrong_with_a_change(self):
        estimates = orrery.Estimates(small())
        self.refused(lambda: estimates({"/parallelism/tensr": 2}), "unknown-key", "/parallelism/tensr")
        self.refused(lambda: estimates({"/parallelism/tensor": 5}))
        self.refused(lambda: estimates({"no pointer": 5}))
        self.refused(lambda: orrery.Estimates("nowhere.orrery.json"), "cannot-read-file", "/scenario")
        served = orrery.Estimates(example("llama-3.1-70b-h100-batch.orrery.json"))
        self.refused(served, "no-estimate")
        self.assertGreater(estimates()["iteration_time_s"], 0)

    def test_errors_are_pickled(self):
        error = self.refused(lambda: orrery.simulate({}))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.code, again.pointer, again.mend, again.problems), (error.code, error.pointer, error.mend, error.problems))


if __name__ == "__main__":
    unittest.main()
