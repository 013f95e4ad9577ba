"""Pin more jars: ``python publishing/pinning.py GROUP:ARTIFACT:VERSION...`` prints their lines for jars.sha256."""

import hashlib
import sys

from kassay.errors import InputError
from kassay.targets.maven.repository import Coordinate, open_network, read_url


def pin(coordinate: Coordinate) -> str:
    """Return the line of a jar; raises InputError where it is not what the repository's SHA-1 says."""
    url = f"{open_network().url}/{coordinate.path}"
    jar, published = read_url(url), read_url(f"{url}.sha1").split()[0].decode()
    if hashlib.sha1(jar, usedforsecurity=False).hexdigest() != published:
        raise InputError(f"{url}: is not what its SHA-1 says; fetch it from another repository")
    return f"{hashlib.sha256(jar).hexdigest()}  {coordinate.path}"


if __name__ == "__main__":
    for text in sys.argv[1:]:
        print(pin(Coordinate.parse(text)))
