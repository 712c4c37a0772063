"""Runs the code cells of a notebook, without Jupyter: notebook.py NOTEBOOK RUN

The last expression of each cell is printed, as Jupyter would show it.
"""

import ast
import json
import os
import sys

notebook, os.environ["FOURSTAMP_RUN"] = sys.argv[1:3]
names = {}
with open(notebook) as file:
    cells = json.load(file)["cells"]
for number, cell in enumerate(cell for cell in cells if cell["cell_type"] == "code"):
    tree = ast.parse("".join(cell["source"]), f"{notebook}, code cell {number}")
    shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"{notebook}, code cell {number}", "exec"), names)
    if shown:
        value = eval(compile(ast.Expression(shown.value), f"{notebook}, code cell {number}", "eval"), names)
        assert value is not None and len(value) > 0, f"code cell {number} shows nothing"
        print(value)
