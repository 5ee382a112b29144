"""Build the compiled inner loop where a C compiler is found; without one the same source runs as Python."""

import os

from setuptools import Extension, setup

INNER = "chemin.engine.exact.inner"
MODULES = ("factor", "cholesky", "state", "curved", "limit", "rows", "columns", "record", "loop")
FLAGS = (
    []
    if os.name == "nt"
    else [
        "-O3",
        "-g0",
        "-fopenmp-simd",
        "-fno-math-errno",
        "-fno-trapping-math",  # else a ratio that is not used is not divided, and nothing is vectorised
        "-Wno-unused-function",
    ]
)
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}


def extensions():
    if os.environ.get("CHEMIN_PURE"):
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    folder = os.path.join("src", *INNER.split("."))
    sources = [
        Extension(
            f"{INNER}.{name}",
            [os.path.join(folder, f"{name}.py")],
            include_dirs=[folder],
            depends=[os.path.join(folder, "kernels.h"), os.path.join(folder, "kernels.pxd")],
            extra_compile_args=FLAGS,
        )
        for name in MODULES
    ]
    built = cythonize(sources, compiler_directives=DIRECTIVES, include_path=["src"])
    for extension in built:
        extension.optional = True  # said here because cythonize makes new ones
    return built


setup(ext_modules=extensions())
