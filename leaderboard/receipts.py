"""Receipts signed with Ed25519: proof that a record was taken, also against the service itself.

What is signed are the receipt's members without `signature`, as JSON in ASCII with sorted keys and no white space.
"""

import json
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from leaderboard.settings import Settings


class Signer:
    """Whoever holds the key."""

    def __init__(self, settings: Settings) -> None:
        if settings.signing_key:
            seed = bytes.fromhex(settings.signing_key)
        else:
            derive = HKDF(SHA256(), 32, salt=None, info=b"golden-nugget receipts")
            seed = derive.derive(settings.secret_key.encode())
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        public = self._key.public_key()
        self.key = public.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        """The public key: 32 bytes in hexadecimal."""
        self.pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        """The same as a PEM file."""

    def sign(self, receipt: dict[str, str]) -> dict[str, str]:
        """The receipt with the public key and the signature in it."""
        whole = {**receipt, "key": self.key}
        return {**whole, "signature": self._key.sign(signed(whole)).hex()}


def signed(receipt: dict[str, Any]) -> bytes:
    """The bytes that the signature is of."""
    rest = {name: value for name, value in receipt.items() if name != "signature"}
    return json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def genuine(receipt: dict[str, Any], key: str) -> bool:
    """Whether the receipt was signed with the key of that public key (hexadecimal)."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(receipt["signature"]), signed(receipt))
    except (InvalidSignature, ValueError, KeyError, TypeError):
        return False
    return True
