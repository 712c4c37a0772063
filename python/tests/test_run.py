"""A run is read as it is, by Arrow, pandas and DuckDB."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fourstamp
from fourstamp import _program

CHECKOUT = Path(__file__).resolve().parents[2]


class TwoProcesses(unittest.TestCase):
    """What examples/two_processes.py records, and every reader finds."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "run")
        example = CHECKOUT / "examples/two_processes.py"
        subprocess.run([sys.executable, example, cls.path], check=True)
        cls.run_ = fourstamp.open(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_info_is_run_json(self):
        info = self.run_.info
        self.assertEqual(info["workload"], "two_processes.py")
        self.assertEqual((info["transport"], info["state"]), ("socketpair", "closed"))
        self.assertEqual(self.run_.tables, [])
        self.assertEqual(os.fspath(self.run_.path), self.path)

    def test_arrow_has_every_message_once_with_stamps_in_order(self):
        table = self.run_.messages(["seq", "src", "dst", "ready_ns", "sent_ns", "arrived_ns",
                                    "taken_ns"])
        self.assertEqual(table.num_rows, 10_000)
        rows = table.to_pylist()
        self.assertEqual(sorted(row["seq"] for row in rows), list(range(10_000)))
        for row in rows:
            stamps = [row[f"{stamp}_ns"] for stamp in ("ready", "sent", "arrived", "taken")]
            self.assertEqual(stamps, sorted(stamps))
            self.assertEqual((row["src"], row["dst"]), (0, 1))

    def test_pandas_keeps_whole_numbers(self):
        frame = self.run_.pandas()
        self.assertEqual((len(frame), set(frame["bytes"])), (10_000, {64}))
        self.assertEqual(str(frame["arrived_ns"].dtype), "Int64")

    def test_duckdb_counts_the_same(self):
        import duckdb

        relation = self.run_.duckdb()
        self.assertEqual(relation.aggregate("count(*), count(DISTINCT seq)").fetchall(),
                         [(10_000, 10_000)])
        with duckdb.connect() as own:
            self.assertEqual(self.run_.duckdb(connection=own).filter("dst = 1").shape[0], 10_000)

    def test_a_table_or_column_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(fourstamp.ArgumentError, "no table 'calls'; it has messages"):
            self.run_.table("calls")
        with self.assertRaisesRegex(fourstamp.ArgumentError, "no file .* has a column 'when'"):
            self.run_.messages(["when"])

    def test_a_package_that_is_missing_is_named(self):
        program = (
            "import sys, fourstamp\n"
            "for name in sys.argv[2:]: sys.modules[name] = None\n"
            "run = fourstamp.open(sys.argv[1])\n"
            "for read in (run.messages, run.pandas, run.duckdb):\n"
            "    try: read()\n"
            "    except ModuleNotFoundError as error: print(error)\n"
        )
        hidden = ["pyarrow", "pandas", "duckdb"]
        words = [sys.executable, "-c", program, self.path, *hidden]
        said = subprocess.check_output(words, text=True)
        self.assertEqual(
            said.splitlines(),
            ["reading a table needs the package pyarrow: pip install pyarrow",
             "pandas() needs the package pandas: pip install pandas",
             "duckdb() needs the package duckdb: pip install duckdb"],
        )


    def test_a_file_that_is_missing_or_cut_short_is_named(self):
        copy = Path(self.folder.name) / "copy"
        shutil.copytree(self.path, copy)
        self.addCleanup(shutil.rmtree, copy)
        file = copy / "messages/launch-0-node-1.parquet"
        file.write_bytes(file.read_bytes()[:-9])
        with self.assertRaisesRegex(fourstamp.FileError, "node-1.parquet cannot be read"):
            fourstamp.open(copy).messages()
        (copy / "messages/copy of a file.parquet").write_bytes(b"not of the run")
        file.unlink()
        with self.assertRaisesRegex(fourstamp.FileError, "node-1.parquet does not exist: an unf"):
            fourstamp.open(copy)


class Other(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fourstamp(self, *words):
        subprocess.run([sys.executable, "-m", "fourstamp", *words], check=True,
                       stdout=subprocess.DEVNULL)

    def test_tables_of_nodes_say_whose_rows_are(self):
        out = str(self.folder / "warp")
        self.fourstamp("warp", "phold", "--nodes", "2", "--cutoff", "5", "--out", out)
        run = fourstamp.open(out)
        self.assertTrue({"causes", "warp/nodes", "warp/xl_stats"} <= set(run.tables), run.tables)
        causes = run.table("causes", ["cause", "node"])
        self.assertEqual(set(causes["node"].to_pylist()), {0, 1})
        self.assertEqual(run.pandas("warp/nodes")["node"].tolist(), [0, 1])
        self.assertEqual(run.duckdb("warp/nodes").shape[0], 2)
        kinds = run.duckdb().aggregate("kind, count(*)").fetchall()
        self.assertEqual(sum(count for _, count in kinds), run.messages(["seq"]).num_rows)

    def test_what_is_no_run_says_so(self):
        with self.assertRaisesRegex(fourstamp.NotARunError, "it has no run.json; name the folder"):
            fourstamp.open(self.folder)
        file = self.folder / "run.json"
        for text, says in (
            ("{", "is damaged"),
            ("[]", "is not the run.json"),
            ('{"format": 1, "state": "closed", "launches": [{}]}', "damaged: it lacks 'nodes'"),
            (
                '{"format": 1, "state": "closed", "launches": [{"nodes": [{"file": "../a"}]}]}',
                "names ../a, which is outside the run",
            ),
            ('{"format": 2, "state": "closed"}', "has format 2, but this package reads format 1"),
        ):
            file.write_text(text)
            with self.assertRaisesRegex(fourstamp.FileError, says):
                fourstamp.open(self.folder)

    def test_the_program_is_this_packages_and_of_its_version(self):
        said = subprocess.check_output([_program.path(), "--version"], text=True)
        self.assertEqual(said, f"fourstamp {fourstamp.__version__}\n")
        wrong = subprocess.run([sys.executable, "-m", "fourstamp", "report", "no"],
                               stderr=subprocess.PIPE, text=True)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("no is not a run", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
