"""A disk without space."""

from pathlib import Path


def fill(directory: Path, name: str = "ballast") -> Path:
    """To the last byte."""
    ballast = directory / name
    with ballast.open("wb", buffering=0) as file:
        for piece in (65536, 4096, 1):
            try:
                while file.write(b"x" * piece) == piece:
                    pass
            except OSError:
                pass
    return ballast
