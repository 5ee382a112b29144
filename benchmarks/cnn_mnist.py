"""How long does a convolutional network take to learn the handwritten digits, and how many of the others does it know?

python benchmarks/cnn_mnist.py --data FOLDER                                    # a GPU, or patience
python benchmarks/cnn_mnist.py --data FOLDER --epochs 12 --batch 64 --rate 0.05 # one core of a CPU: small steps, fewer
python benchmarks/cnn_mnist.py --data FOLDER --transfer 200 500                 # and frozen features with few images

With --transfer a small network of the kind of VGG learns the digits 0 to 4 and is written to a file. Its convolutions
are read from it and frozen, and a head learns the digits 5 to 9 from few images. Beside it are the same head on the
features of a network that has learned nothing, and on pixels.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from chemin import KernelBasisClassifierCV
from chemin.datasets import mnist
from chemin.models.networks import (
    ConvolutionalClassifier,
    FineTunedClassifier,
    load_weights,
    make_transfer,
    save_weights,
    vgg,
)

HEADS = {"kernel basis": KernelBasisClassifierCV(), "SVM": SVC(C=10.0)}


def main() -> None:
    """Train, test, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
    parser.add_argument(
        "--transfer", type=int, nargs="*", default=[], help="images of 5 to 9 a head learns from"
    )
    asked = parser.parse_args()

    began = time.perf_counter()
    images = mnist(asked.data)
    rows = {"reading": f"{time.perf_counter() - began:.1f} s"} | known(images, asked)
    rows["everything"] = f"{time.perf_counter() - began:.1f} s"
    for name, value in rows.items():
        print(f"{name:<16} {value}", flush=True)
    if asked.transfer:
        transfer(images, asked)


def known(images, asked) -> dict[str, str]:
    """Train on the first images, and tell how that went and how many test images are known."""
    began = time.perf_counter()
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
    return {
        "device": f"{place}, {torch.get_num_threads()} threads, PyTorch {torch.__version__}",
        "images": f"{min(asked.images, len(images.X_train))}",
        "steps": f"{history.epochs} epochs in batches of {asked.batch}, rate up to {asked.rate:g}",
        "weights": f"{model.n_parameters_}",
        "epochs only": f"{history.seconds.sum():.1f} s",
        "fit": f"{fitted - began:.1f} s",
        "test": f"{ended - fitted:.1f} s",
        "test accuracy": f"{100.0 * right.mean():.2f} % ({np.sum(~right)} of {len(right)} wrong)",
    }


def transfer(images, asked) -> None:
    """Learn the digits 0 to 4, freeze the convolutions, and learn the others from few images."""

    def small(seed: int):
        return vgg([(32, 2), (64, 2)], hidden=128, classes=5, dropout=0.2, random_state=seed)

    X, y = images.X_train[: asked.images], images.y_train[: asked.images]
    low, others = y < 5, images.y_test >= 5
    began = time.perf_counter()
    trained = FineTunedClassifier(
        small(asked.seed), shape=images.shape, size=28, limits=(0, 255), warm_up=0,
        epochs=max(2, asked.epochs // 4), fine_rate=0.02, batch_size=64, device=asked.device,
        random_state=asked.seed,
    ).fit(X[low], y[low])  # fmt: skip
    score = trained.score(images.X_test[~others], images.y_test[~others])
    print(
        f"\n0 to 4: {low.sum()} images, {trained.history_.epochs} epochs, {100.0 * score:.2f} % of the test images, "
        f"{time.perf_counter() - began:.1f} s",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        file = save_weights(trained.network_.network, Path(folder) / "trained.pth")
        networks = {
            "trained": load_weights(small(asked.seed + 1), file, only="features"),
            "untrained": small(asked.seed + 1),
        }
    options = {"shape": images.shape, "size": 28, "pool": 4, "limits": (0, 255), "batch_size": 256}
    for count in asked.transfer:
        few, _, labels, _ = train_test_split(
            X[~low], y[~low], train_size=count, stratify=y[~low], random_state=asked.seed
        )
        for name, head in HEADS.items():
            models = {
                kind: make_transfer(network, head, device=asked.device, **options)
                for kind, network in networks.items()
            }
            for kind, model in (models | {"pixels": make_pipeline(StandardScaler(), head)}).items():
                began = time.perf_counter()
                right = model.fit(few, labels).score(images.X_test[others], images.y_test[others])
                print(
                    f"5 to 9: {count} images, {name} on {kind:<9} {100.0 * right:6.2f} %  "
                    f"{time.perf_counter() - began:.1f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
