"""What is recorded is what was done, and wrong use is an exception of its own."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import fourstamp

CHECKOUT = Path(__file__).resolve().parents[2]


class Recording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "run")

    def test_the_errors_are_those_of_the_header(self):
        header = (CHECKOUT / "crates/fourstamp/c/include/fourstamp.h").read_text()
        codes = re.findall(r"^#define FOURSTAMP_([A-Z_]+) (\d+) +/\*", header, re.M)
        own = {"NULL": "BugError", "HANDLE": "BugError", "SIZE": "BugError",
               "MEMORY": "OutOfMemoryError"}
        named = {int(code): own.get(name) or name.title().replace("_", "") + "Error"
                 for name, code in codes}
        named[10] = "NotARunError"
        found = {code: error.__name__ for code, error in fourstamp.errors.BY_CODE.items()}
        self.assertEqual(found, named)

    def test_a_message_has_its_four_stamps(self):
        with fourstamp.create(self.path, workload="w", transport="t") as run:
            self.assertEqual(run.path, self.path)
            with run.node(0) as a, run.node(1) as b:
                ready = a.now()
                header = a.header(1, ready, a.now(), fourstamp.REPLY)
                self.assertEqual(len(header), fourstamp.HEADER_BYTES)
                arrived = b.now()
                b.taken(header, arrived, 5)
                b.taken(bytearray(a.header(1, ready, ready)), None, 6)
                b.record(memoryview(a.header(1, 1, 2)), 3, 4, 7)
                self.assertEqual((b.counts(), b.number), ((3, 0), 1))
                b.check()
        info = fourstamp.open(self.path).info
        self.assertEqual((info["workload"], info["transport"], info["state"]), ("w", "t", "closed"))
        self.assertEqual(info["launches"][0]["nodes"][1]["rows"], 3)

    def test_halves_are_joined(self):
        with fourstamp.create(self.path) as run:
            with run.node(0, halves=True) as a, run.node(1, halves=True) as b:
                for _ in range(4):
                    a.log_sent(1, a.now(), a.now(), 9)
                    b.log_received(0, b.now(), b.now(), 9)
                self.raises("HalvesError", "halves", a.taken, a.header(1, 1, 1), None, 1)
        info = fourstamp.open(self.path).info
        self.assertEqual(info["lost"].get("unmatched_sends", 0), 0)
        self.assertEqual(sum(node["rows"] for node in info["launches"][0]["nodes"]), 4)

    def raises(self, name, text, call, *given, **named):
        with self.assertRaises(fourstamp.FourstampError) as caught:
            call(*given, **named)
        self.assertEqual(type(caught.exception).__name__, name)
        self.assertIn(text, str(caught.exception))

    def test_wrong_use_is_an_exception_that_says_what_is_wrong(self):
        run = fourstamp.create(self.path)
        self.raises("NotEmptyError", "is not empty", fourstamp.create, self.path)
        self.raises("NotARunError", "is not a run", fourstamp.join, self.path + "/no")
        node = run.node(1)
        self.raises("NodeTakenError", "already has a node 1", run.node, 1)
        self.raises("ArgumentError", "number is 65536; it must be 0 to 65535", run.node, 65536)
        self.raises("ArgumentError", "receiver is -1; it must be 0 to 65535", node.header, -1, 1, 1)
        self.raises("ArgumentError", "kind of message", node.header, 1, 1, 1, 3)
        self.raises("ArgumentError", "3 bytes; it must have 32", node.taken, b"abc", 1, 1)
        self.raises("HeaderError", "not with a Fourstamp header", node.taken, bytes(32), 1, 1)
        self.raises("HalvesError", "opened for messages with headers", node.log_sent, 1, 1, 1, 1)
        self.raises("ArgumentError", "record buffer", run.node, 2, capacity_rows=2**60)
        with self.assertRaisesRegex(TypeError, "header must be bytes, not 'x'"):
            node.taken("x", 1, 1)
        with self.assertRaisesRegex(TypeError, "ready must be an int, not 1.5"):
            node.header(1, 1.5, 1)
        with self.assertRaisesRegex(TypeError, "call fourstamp.create"):
            fourstamp.RunFolder()
        with self.assertRaisesRegex(TypeError, "call node"):
            fourstamp.Stamper()
        node.finish()
        self.raises("ClosedError", "closed before", node.finish)
        self.raises("ClosedError", "closed before", node.now)
        self.raises("ClosedError", "closed before", node.header, 1, 1, 1)
        self.assertEqual(run.close(), 0)
        self.raises("ClosedError", "closed before", run.close)
        self.raises("ClosedError", "closed before", run.leave)
        self.raises("ClosedError", "closed before", run.node, 3)
        self.raises("EndedError", "has ended", fourstamp.join, self.path)

    def test_a_forked_child_joins_the_run_itself(self):
        with fourstamp.create(self.path) as run, run.node(0) as node:
            child = os.fork()
            if child == 0:
                os._exit(self.in_child(run, node))
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            node.taken(node.header(0, node.now(), node.now()), None, 1)
        self.assertEqual(fourstamp.open(self.path).info["launches"][0]["nodes"][1]["rows"], 0)

    def in_child(self, run, node):
        try:
            self.raises("ForkedError", "fourstamp_join", node.now)
            self.raises("ForkedError", "fourstamp_join", run.close)
            with fourstamp.join(self.path) as own:
                own.node(1).finish()
            return 0
        except BaseException as error:
            print(error, file=sys.stderr)
            return 1

    def test_what_is_collected_open_ends_with_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = fourstamp.create(self.path)
            node = run.node(0)
            del node
            del run
        texts = [str(warning.message) for warning in caught]
        self.assertEqual(len(texts), 2, texts)
        self.assertRegex(texts[0], "Stamper 0 of .* was not ended; call finish()")
        self.assertRegex(texts[1], "RunFolder .* was not ended; call close()")
        self.assertTrue(fourstamp.open(self.path).info["lost"]["cut"])

    def test_an_exception_leaves_the_run_to_its_first_reader(self):
        with self.assertRaises(KeyError):
            with fourstamp.create(self.path) as run, run.node(0) as node:
                node.taken(node.header(0, node.now(), node.now()), None, 1)
                raise KeyError
        info = fourstamp.open(self.path).info
        self.assertEqual(info["launches"][0]["nodes"][0]["rows"], 1)

    def test_a_killed_process_loses_nothing_and_while_it_runs_it_goes_on(self):
        program = (
            "import fourstamp, sys, time\n"
            f"run = fourstamp.create({self.path!r}); node = run.node(0)\n"
            "for _ in range(1000): node.taken(node.header(0, node.now(), node.now()), None, 1)\n"
            "print('ready', flush=True); time.sleep(60)\n"
        )
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
        with child:
            child.stdout.readline()
            self.raises("GoingOnError", "still in progress; wait", fourstamp.open, self.path)
            child.kill()
        info = fourstamp.open(self.path).info
        self.assertEqual((info["state"], info["launches"][0]["nodes"][0]["rows"]), ("cut", 1000))


if __name__ == "__main__":
    unittest.main()
