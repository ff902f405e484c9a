"""A check that passed is not made again over the same content: it leaves a stamp, an empty file named by a hash of all that it read
and ran. The stamps lie in ~/.cache/terminally-mcp; who removes that directory has everything checked anew."""

import contextlib
import hashlib
import time
from collections.abc import Iterable
from pathlib import Path

DIRECTORY = Path.home() / ".cache" / "terminally-mcp"
KEPT_DAYS = 60


class Stamp:
    """Of the check `kind`, over these texts and the content of these files."""

    def __init__(self, kind: str, texts: Iterable[str], files: Iterable[Path] = ()) -> None:
        content = hashlib.sha256()
        for part in (*(text.encode() for text in texts), *(path.read_bytes() for path in files)):
            content.update(len(part).to_bytes(8, "big") + part)
        self.kind = kind
        self.path = DIRECTORY / f"{kind}-{content.hexdigest()}"

    def fits(self) -> bool:
        """Whether the check passed over the same before."""
        if not self.path.exists():
            return False
        with contextlib.suppress(OSError):
            self.path.touch()
        return True

    def leave(self) -> None:
        """Called when the check has passed. Where none can be left, the check is made again the next time."""
        with contextlib.suppress(OSError):
            DIRECTORY.mkdir(parents=True, exist_ok=True)
            self.path.touch()
            for old in DIRECTORY.glob(f"{self.kind}-*"):
                if old.stat().st_mtime < time.time() - KEPT_DAYS * 86400:
                    old.unlink(missing_ok=True)
