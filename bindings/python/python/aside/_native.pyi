class AsideError(Exception):
    """An input, an option or a file is at fault."""

    #: ``syntax``, ``shape``, ``option``, ``refused``, ``local`` or ``panic``.
    kind: str
    #: The JSON path or the file; empty for the whole input.
    path: str
    #: The line of a text that is not JSON, from 1.
    line: int | None

def call(name: str, inputs: list[bytes], options: bytes) -> tuple[bytes, bytes | None]: ...

class CacheModel:
    def send(self, body: bytes, options: bytes) -> tuple[bytes, bytes | None]: ...

class StrictApi:
    def reply(self, blocks: bytes) -> None: ...
    def answer(self, body: bytes, options: bytes) -> tuple[bytes, bytes | None]: ...

class Rows:
    """Rows that each Arrow stream has from the first one."""

    def __init__(self, paths: list[str], format: str | None) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
