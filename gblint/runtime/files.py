"""Reads of files that a project contains: regular files of a limited size only; and writes of whole files.

A file of a project may be a link to a device without end or a named pipe that nobody writes to.  Each such file is an
``OSError``, as is one that is too large.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

TYPE_CHECKING = False  # importing typing would slow the start
if TYPE_CHECKING:
    from typing import IO

MAX_BYTES = 1 << 26
"""Bytes of the largest source file, notebook or baseline that is read."""
MAX_SETTINGS = 1 << 20
"""Bytes of the largest file of settings that is read: a configuration, ``.gitignore``, ``.pth``, ``pyvenv.cfg``."""
# A named pipe is opened without waiting for a writer, and a terminal does not become the terminal of this process.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
)
_WRITE = os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
# Files that stand for what a process has open: a new file in place of them would be another one.
_STREAMS = ("/dev/", "/proc/")
# The errors of a folder in which no file can be created, and of a file that is a mount.
_NO_NEW_FILE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)


def open_regular(path: str | os.PathLike[str]) -> int:
    """Open a regular file for reading and return its descriptor; raises OSError for any other kind of file.

    Nothing but a regular file is opened, unless another program replaces the file in between.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise _refused(path, errno.EINVAL, "not a regular file")
    number = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise _refused(path, errno.EINVAL, "not a regular file")
    return number


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Raises OSError, also for a file of more than ``limit`` bytes, and ValueError for a path with a null byte.
    """
    with open(open_regular(path), "rb") as file:
        return _bytes_of(file, path, limit)


def read_named(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file that the user names: any kind of file, such as the pipe of a shell.

    Raises as ``read_bytes``.
    """
    with open(path, "rb") as file:
        return _bytes_of(file, path, limit)


def read_start(path: str | os.PathLike[str], size: int) -> bytes:
    """Return the first ``size`` bytes of a regular file; raises OSError and ValueError."""
    with open(open_regular(path), "rb") as file:
        return _read(file, path, size)


def read_text(
    path: str | os.PathLike[str], encoding: str = "utf-8", errors: str = "strict", limit: int = MAX_BYTES
) -> str:
    """Return the text of a regular file, with ``\\n`` at the ends of lines.

    Raises as ``read_bytes``, and UnicodeError.
    """
    return normalise_newlines(read_bytes(path, limit).decode(encoding, errors))


def write_whole(path: str | os.PathLike[str], data: bytes, mode: int = 0o666) -> None:
    """Write a file that is the old one or the whole new one at every moment; links are followed.

    A device or a pipe is written to, and so is a file in a folder in which nothing can be created.  Raises OSError, and
    then nothing is left of the new file.  ``mode``: the permissions of a file that did not exist, before the umask.
    """
    try:
        present = os.stat(path).st_mode
    except FileNotFoundError:
        present = None
    if present is not None and (not stat.S_ISREG(present) or os.fspath(path).startswith(_STREAMS)):
        _write(os.open(path, _WRITE), data)
        return
    target = os.path.realpath(path)
    if present is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    folder, name = os.path.split(target)
    unfinished = os.path.join(folder, f".{name[:40]}.{os.urandom(4).hex()}.new")
    try:
        _write(os.open(unfinished, _WRITE | os.O_CREAT | os.O_EXCL, mode), data)
        if present is not None:
            os.chmod(unfinished, stat.S_IMODE(present))
        os.replace(unfinished, target)
    except OSError as error:
        _remove(unfinished)
        if present is None or error.errno not in _NO_NEW_FILE:
            raise
        _write(os.open(target, _WRITE | os.O_TRUNC), data)
    except BaseException:
        _remove(unfinished)
        raise


def normalise_newlines(text: str) -> str:
    """Turn ``\\r\\n`` and ``\\r`` into ``\\n``, as Python does when it reads source."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def reason_of(error: OSError) -> str:
    """Return why a file cannot be read or written, as the end of a sentence."""
    reason = error.strerror or type(error).__name__
    return reason[:1].lower() + reason[1:]


def _write(number: int, data: bytes) -> None:
    with open(number, "wb") as file:
        file.write(data)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _bytes_of(file: IO[bytes], path: str | os.PathLike[str], limit: int) -> bytes:
    """Return all of a file; raises OSError if it has more than ``limit`` bytes."""
    size = os.fstat(file.fileno()).st_size
    data = _read(file, path, limit + 1) if size <= limit else b""
    if max(size, len(data)) > limit:
        raise _refused(path, errno.EFBIG, f"larger than {limit >> 20} MiB")
    return data


def _read(file: IO[bytes], path: str | os.PathLike[str], size: int) -> bytes:
    # None from a file of the kernel, such as /proc/kmsg, that has nothing to say and is opened without waiting.
    data: bytes | None = file.read(size)
    if data is None:
        raise _refused(path, errno.EINVAL, "not a regular file")
    return data


def _refused(path: str | os.PathLike[str], number: int, reason: str) -> OSError:
    return OSError(number, reason, os.fspath(path))
