"""Digests of contents.

``hashlib`` imports OpenSSL, which takes 4 ms: more than all digests of a run of one file.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # another Python than CPython
    from hashlib import blake2b


def digest(data: bytes, size: int = 16) -> str:
    """Return the BLAKE2b digest of ``data``, of ``size`` bytes, in hexadecimal."""
    return blake2b(data, digest_size=size).hexdigest()
