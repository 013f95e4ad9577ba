"""The one error of all readers."""


class MalformedError(ValueError):
    """Bytes that are no such message: `field` is what was read, `at` the byte where it starts, `why` what is wrong there."""

    def __init__(self, why: str, at: int) -> None:
        super().__init__(why, at)
        self.why, self.at, self.field = why, at, ""

    def __str__(self) -> str:
        return f"{self.field.removeprefix('.') or 'message'}: {self.why}, from byte {self.at} on"

    def inside(self, place: str) -> "MalformedError":
        """Return itself, with the place around its field noted."""
        self.field = place + self.field
        return self
