"""A local page where an expert composes kernels, learns, reads, and changes her mind; nothing leaves the machine."""

from chemin.studio.server import serve

__all__ = ["serve"]
