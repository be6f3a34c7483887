"""The backend `hapax` for Annif.

Annif has no entry points for backends, but imports the module that ``ANNIF_CONFIG`` names: set
``ANNIF_CONFIG=annif_hapax.Config`` for the command and for the server, and write
``backend=hapax`` into a project of ``projects.cfg``.
"""

from __future__ import annotations

import annif.backend
from annif.default_config import Config as _Config
from annif.default_config import ProductionConfig as _ProductionConfig

__all__ = ["Config", "ProductionConfig"]


def _hapax() -> type:
    from .backend import HapaxBackend

    return HapaxBackend


annif.backend._backend_fns.setdefault("hapax", _hapax)


class Config(_Config):  # type: ignore[misc]
    """Annif's default configuration."""


class ProductionConfig(_ProductionConfig):  # type: ignore[misc]
    """Annif's configuration of a server: projects are loaded when it starts."""
