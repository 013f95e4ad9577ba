"""A certificate of 127.0.0.1 that signs itself, in the files that brokers and clients take."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

PASSWORD = "secret"
"""Of the stores."""


def certify(folder: Path) -> Path:
    """Write ca.pem, key.pem (with its certificate), store.p12 and trust.p12 into a folder, and return it."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kassay")])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )  # fmt: skip
    pem, lock = made.public_bytes(Encoding.PEM), BestAvailableEncryption(PASSWORD.encode())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    trusted = [pkcs12.PKCS12Certificate(made, b"ca")]
    for file, content in {
        "ca.pem": pem,
        "key.pem": private + pem,
        "store.p12": pkcs12.serialize_key_and_certificates(b"kassay", key, made, None, lock),
        "trust.p12": pkcs12.serialize_java_truststore(trusted, lock),
    }.items():
        (folder / file).write_bytes(content)
    return folder
