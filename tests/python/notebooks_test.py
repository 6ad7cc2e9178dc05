# SPDX-License-Identifier: GPL-3.0-or-later
"""Every notebook that ships runs from top to bottom, without Jupyter, and holds no output that a run would not give."""
import contextlib
import glob
import io
import json
import os
import unittest

from support import SOURCE


class Notebooks(unittest.TestCase):
    def test_every_cell_runs(self):
        notebooks = sorted(glob.glob(os.path.join(SOURCE, "resources", "notebooks", "*.ipynb")))
        self.assertTrue(notebooks)
        os.chdir(os.path.join(SOURCE, "resources"))
        for path in notebooks:
            with open(path, encoding="utf-8") as file:
                notebook = json.load(file)
            self.assertEqual(notebook["nbformat"], 4)
            names = {"__name__": "__main__"}
            for number, cell in enumerate(notebook["cells"]):
                self.assertIn(cell["cell_type"], ("markdown", "code"))
                if cell["cell_type"] != "code":
                    continue
                self.assertEqual(cell["outputs"], [], "a notebook ships without outputs")
                with self.subTest(os.path.basename(path), cell=number), contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(compile("".join(cell["source"]), f"{path}, cell {number}", "exec"), names)  # as Jupyter does
                self.assertTrue(printed.getvalue() or not any("print(" in line for line in cell["source"]))


if __name__ == "__main__":
    unittest.main()
