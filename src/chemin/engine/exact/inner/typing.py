"""A stand-in for Cython's own module where Cython is not installed: nothing is compiled, types mean nothing."""

compiled = False
