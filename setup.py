"""Build the compiled inner loop where a C compiler is found; without one the package installs in pure Python."""

import os

from setuptools import Extension, setup

extensions = []
if not os.environ.get("CHEMIN_PURE"):
    try:
        import numpy
        from Cython.Build import cythonize

        inner_loop = Extension(
            "chemin.engine.exact._compiled",
            ["src/chemin/engine/exact/_compiled.pyx"],
            include_dirs=[numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
            extra_compile_args=[] if os.name == "nt" else ["-O3"],
        )
        extensions = cythonize([inner_loop])
        for extension in extensions:
            extension.optional = True  # said here because cythonize makes new ones
    except ImportError:
        pass

setup(ext_modules=extensions)
