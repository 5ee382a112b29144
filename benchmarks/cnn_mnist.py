"""How long does a convolutional network take to learn the handwritten digits, and how many of the others does it know?

python benchmarks/cnn_mnist.py --data FOLDER                                   # a GPU, or patience
python benchmarks/cnn_mnist.py --data FOLDER --epochs 12 --batch 64 --rate 0.05 # one core of a CPU: small steps, fewer
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from chemin.datasets import mnist
from chemin.models.networks import ConvolutionalClassifier


def main() -> None:
    """Train, test, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", required=True, help="folder or npz file, see chemin.datasets.mnist"
    )
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument(
        "--images", type=int, default=60_000, help="training images, the first ones"
    )
    parser.add_argument("--batch", type=int, default=256, help="images of a step")
    parser.add_argument("--rate", type=float, default=0.1, help="largest learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", help="file to write after each epoch and to go on from")
    asked = parser.parse_args()

    began = time.perf_counter()
    images = mnist(asked.data)
    read = time.perf_counter()
    model = ConvolutionalClassifier(
        images.shape,
        filters=(32, 64),
        convolutions=2,
        dense=256,
        shift=2,
        rotation=10.0,
        epochs=asked.epochs,
        batch_size=asked.batch,
        learning_rate=asked.rate,
        device=asked.device,
        checkpoint=asked.checkpoint,
        random_state=asked.seed,
        verbose=True,
    )
    model.fit(images.X_train[: asked.images], images.y_train[: asked.images])
    fitted = time.perf_counter()
    right = model.predict(images.X_test) == images.y_test
    ended = time.perf_counter()

    history = model.history_
    place = torch.cuda.get_device_name() if history.device == "cuda" else "CPU"
    rows = {
        "device": f"{place}, {torch.get_num_threads()} threads, PyTorch {torch.__version__}",
        "images": f"{min(asked.images, len(images.X_train))}",
        "steps": f"{history.epochs} epochs in batches of {asked.batch}, rate up to {asked.rate:g}",
        "weights": f"{model.n_parameters_}",
        "reading": f"{read - began:.1f} s",
        "epochs only": f"{history.seconds.sum():.1f} s",
        "fit": f"{fitted - read:.1f} s",
        "test": f"{ended - fitted:.1f} s",
        "everything": f"{ended - began:.1f} s",
        "test accuracy": f"{100.0 * right.mean():.2f} % ({np.sum(~right)} of {len(right)} wrong)",
    }
    for name, value in rows.items():
        print(f"{name:<16} {value}")


if __name__ == "__main__":
    main()
