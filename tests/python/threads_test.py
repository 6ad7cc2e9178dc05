# SPDX-License-Identifier: GPL-3.0-or-later
"""Other threads of Python go on while Orrery computes, several may ask at once, and Ctrl-C is heard."""
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import orrery
from support import example, small


def long_search():
    """A question of minutes."""
    return {**small(), "search": {"vary": {"/workload/global_batch_size": list(range(64, 64 + 8 * 400, 8)), "/workload/sequence_length": list(range(512, 1024)), "/parallelism/tensor": [1, 2, 4]},
                                  "objective": {"minimize": "/iteration_time_s"}}}


class Threads(unittest.TestCase):
    def test_the_interpreter_goes_on_meanwhile(self):
        done = threading.Event()
        worker = threading.Thread(target=lambda: (orrery.simulate(example("gpt3-175b-1024xa100.orrery.json")), done.set()))
        begin = time.monotonic()
        worker.start()
        turns = 0
        while not done.is_set():
            turns += 1
            time.sleep(0.0005)
        worker.join()
        # A lock that was kept would let this thread run once or twice.
        self.assertGreater(turns, 10)
        self.assertGreater(time.monotonic() - begin, 0.005)

    def test_several_threads_get_what_one_gets(self):
        plans = [{**small(), "parallelism": {"tensor": tensor, "pipeline": pipeline}} for tensor in (1, 2, 4) for pipeline in (1, 2)]
        alone = [orrery.simulate(plan) for plan in plans]
        together = [None] * len(plans)
        wrong = small()
        wrong["parallelism"]["tensr"] = 1
        refused = []

        def ask(index):
            together[index] = orrery.simulate(plans[index])
            try:
                orrery.simulate(wrong)
            except orrery.OrreryError as error:
                refused.append(error.pointer)

        workers = [threading.Thread(target=ask, args=(index,)) for index in range(len(plans))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(together, alone)
        self.assertEqual(refused, ["/parallelism/tensr"] * len(plans))

    def test_threads_share_estimates(self):
        estimates, plans = orrery.Estimates(small()), [{"/parallelism/tensor": tensor} for tensor in (1, 2, 4)]
        alone = [estimates(plan) for plan in plans]
        found = []
        workers = [threading.Thread(target=lambda: found.extend(estimates(plan) == one for _ in range(50) for plan, one in zip(plans, alone))) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(found, [True] * 4 * 50 * len(plans))

    def test_ctrl_c_ends_a_long_search(self):
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            orrery.search(long_search(), exhaustive=True)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertGreater(orrery.estimate(small())["iteration_time_s"], 0)

    def test_the_program_ends_while_a_thread_asks(self):
        program = ("import threading, time, orrery\n"
                   "from threads_test import long_search\n"
                   "threading.Thread(target=lambda: orrery.search(long_search(), exhaustive=True), daemon=True).start()\n"
                   "time.sleep(0.5)\n")
        done = subprocess.run([sys.executable, "-B", "-c", program], cwd=os.path.dirname(os.path.abspath(__file__)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
