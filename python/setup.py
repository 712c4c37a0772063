"""Builds the extension, with libfourstamp within it, and packs the program `fourstamp`.

Both are taken from FOURSTAMP_PREFIX, a folder as the tar of a release unpacks to (`bin`, `lib`,
`include`), where it is set. Otherwise cargo builds them from the checkout that this folder is in.

The library is linked statically: nothing else in a process uses it, there is no file to be found
when the module is loaded, and another libfourstamp in the process is not met.
"""

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent


class Parts:
    """Where the header, the library and the program are."""

    def __init__(self):
        prefix = os.environ.get("FOURSTAMP_PREFIX")
        if prefix:
            root = Path(prefix)
            self.header = root / "include/fourstamp.h"
            self.library = root / "lib/libfourstamp.a"
            self.program = root / "bin/fourstamp"
        else:
            target = build() / "release"
            self.header = CHECKOUT / "crates/fourstamp/c/include/fourstamp.h"
            self.library = target / "libfourstamp_c.a"
            self.program = target / "fourstamp"
        for part in (self.header, self.library, self.program):
            if not part.is_file():
                raise SystemExit(f"error: there is no {part}; set FOURSTAMP_PREFIX to a folder "
                                 "with bin, lib and include of Fourstamp")


def build():
    """Both built by cargo; its target folder."""
    packages = ["--package", "fourstamp-cli", "--package", "fourstamp-c"]
    subprocess.run(["cargo", "build", "--release", "--locked", *packages], cwd=CHECKOUT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", CHECKOUT / "target"))


def version():
    """The one version of the whole project, which each header of a package repeats."""
    given = os.environ.get("FOURSTAMP_VERSION")
    if given:
        return given
    text = (CHECKOUT / "Cargo.toml").read_text()
    return text.partition("[workspace.package]")[2].partition('version = "')[2].partition('"')[0]


class BuildExtension(build_ext):
    def build_extension(self, extension):
        parts = Parts()
        extension.include_dirs.append(str(parts.header.parent))
        extension.extra_objects.append(str(parts.library))
        super().build_extension(extension)


class BuildPackage(build_py):
    def run(self):
        super().run()
        folder = Path(self.build_lib) / "fourstamp/bin"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(Parts().program, folder / "fourstamp")


setup(
    version=version(),
    cmdclass={"build_ext": BuildExtension, "build_py": BuildPackage},
    ext_modules=[
        Extension(
            "fourstamp._stamp",
            sources=[f"src/_stamp/{name}.c"
                     for name in ("module", "run", "stamper", "arguments", "failure")],
            depends=["src/_stamp/stamp.h"],
            define_macros=[("Py_LIMITED_API", "0x03090000")],
            extra_compile_args=["-std=c99", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
                                "-Werror=implicit-function-declaration", "-fvisibility=hidden"],
            # What the library needs, and nothing of it shown to others.
            extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections",
                             "-lgcc_s", "-lpthread", "-lm", "-ldl"],
            py_limited_api=True,
        )
    ],
    # One build serves every Python from 3.9 on.
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
