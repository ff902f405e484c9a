"""A tab of the model, and its log: bytes that have offsets for ever."""

import time
from dataclasses import dataclass, field
from pathlib import Path

KEPT = 20  # parts of a log that are compared with what is read later


@dataclass
class TabModel:
    id: str
    name: str
    log_path: Path
    open: bool = True
    may_be_gone: bool = False  # a person ended it; the list says when
    leaks_until: float = 0  # its log has no writer, until one is there again
    leaked: bool = False
    half: list[int] = field(default_factory=list)  # numbers of lines that a person has left half typed
    parts: dict[int, bytes] = field(default_factory=dict)  # what was read, by offset
    end: int = 0

    @property
    def there(self) -> bool:
        return self.open and not self.may_be_gone

    @property
    def logs(self) -> bool:
        """Its log has a writer, which has begun."""
        return self.leaks_until < time.monotonic() and self.log_path.exists() and self.log_path.stat().st_size > 0

    def check_part(self, at: int, data: bytes, next_byte: int) -> None:
        """Bytes at an offset stay what they are, and are those of the file."""
        assert next_byte == at + len(data), f"{self.id}: next_byte {next_byte} after {len(data)} bytes from {at}"
        for other, old in self.parts.items():
            low, high = max(at, other), min(at + len(data), other + len(old))
            if low < high:
                assert data[low - at : high - at] == old[low - other : high - other], f"{self.id}: bytes {low} to {high} have changed"
        on_disk = self.log_path.read_bytes()[at : at + len(data)] if self.log_path.exists() else b""
        assert on_disk == data, f"{self.id}: bytes from {at} are not those of {self.log_path}"
        self.parts[at] = data
        while len(self.parts) > KEPT:
            self.parts.pop(next(iter(self.parts)))
        self.end = max(self.end, next_byte)
