"""How many threads does everybody get? One, unless the environment says otherwise.

Imported before numpy, because linear-algebra libraries read these variables once, at load time.
"""

import os

LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
for name in LIMITS:
    os.environ.setdefault(name, "1")
THREADS = {name: os.environ[name] for name in LIMITS}
