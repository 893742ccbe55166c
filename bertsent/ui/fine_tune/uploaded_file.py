"""A file as a visitor brought it."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from bertsent.data.tables import column_names


@dataclass(frozen=True)
class UploadedFile:
    """Its bytes, with the names of its columns."""

    name: str
    data: bytes = field(repr=False)
    sha256: str
    columns: tuple[str, ...]

    @classmethod
    def read(cls, data: bytes, name: str) -> "UploadedFile":
        """Look at its columns.

        Raises:
            BadInput: it cannot be read.
        """
        return cls(name, data, hashlib.sha256(data).hexdigest(), tuple(column_names(data, name)))


BY_FILE: dict[Any, Any] = {UploadedFile: lambda file: (file.sha256, file.name)}  # for Streamlit
