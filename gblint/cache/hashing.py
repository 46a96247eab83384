"""By what contents are known again.

``hashlib`` would load OpenSSL first, which takes longer than all that is hashed here.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # another Python than CPython
    from hashlib import blake2b


def digest_of(data: bytes, size: int = 16) -> str:
    """The BLAKE2b digest of ``data``, of ``size`` bytes, in hexadecimal."""
    return blake2b(data, digest_size=size).hexdigest()


def digest_of_text(text: str, size: int = 16) -> str:
    """The digest of a text, which may have bytes in it that could not be decoded."""
    return digest_of(text.encode("utf-8", "surrogatepass"), size)
