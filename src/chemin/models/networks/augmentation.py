"""Which changes leave an image what it is? Small shifts and turns, and for some a flip, new ones in every epoch.

A pixel p of the new image is where R(p − c) + c + t was in the old one, R a rotation about the centre c and t a shift
by whole pixels; beyond the border the image goes on as it ends.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, section 10.2.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from chemin.exceptions import InvalidInputError
from chemin.models.networks.batches import torch_module


@dataclass(frozen=True)
class Augmentation:
    """A random shift, rotation and flip of each image of a batch.

    Attributes
    ----------
    shift : int
        Most pixels it is moved, up or down and left or right.
    rotation : float
        Most degrees it is turned, either way.
    flip : bool
        Whether every other image is mirrored, left to right.
    """

    shift: int = 0
    rotation: float = 0.0
    flip: bool = False

    def check(self) -> Augmentation | None:
        """Return itself if its numbers can be used, or None if it changes nothing."""
        whole = isinstance(self.shift, int | np.integer) and not isinstance(self.shift, bool)
        if not whole or self.shift < 0:
            raise InvalidInputError(f"shift is {self.shift!r}: pass a whole number of pixels")
        known = isinstance(self.rotation, int | float | np.number)
        if not known or not 0.0 <= self.rotation <= 180.0:
            raise InvalidInputError(f"rotation is {self.rotation!r}: pass degrees from 0 to 180")
        return self if self.shift or self.rotation or self.flip else None

    def __call__(self, images: Any, generator: Any) -> Any:
        """Return images (n, C, H, W), each changed in its own way."""
        torch = torch_module()
        n, _, height, width = images.shape
        like = {"dtype": images.dtype, "device": images.device}
        drawn = 2.0 * torch.rand(n, generator=generator, **like) - 1.0
        angle = drawn * (self.rotation * pi / 180.0)
        moved = torch.randint(
            -self.shift, self.shift + 1, (2, n), generator=generator, device=images.device
        )
        side = torch.ones(n, **like)
        if self.flip:
            side = 2.0 * torch.randint(0, 2, (n,), generator=generator, **like) - 1.0
        # In units of half the width and half the height, as affine_grid counts.
        first = [
            side * angle.cos(),
            -angle.sin() * (height / width),
            moved[0] * (2.0 / width),
        ]
        second = [
            side * angle.sin() * (width / height),
            angle.cos(),
            moved[1] * (2.0 / height),
        ]
        matrix = torch.stack([torch.stack(first, dim=1), torch.stack(second, dim=1)], dim=1)
        functional = torch.nn.functional
        grid = functional.affine_grid(matrix, list(images.shape), align_corners=False)
        return functional.grid_sample(images, grid, padding_mode="border", align_corners=False)
