"""What can go wrong, by name. All are ValueErrors, so a plain ``except ValueError`` still works."""


class RbmleError(ValueError):
    """Base of every error raised on purpose by rbmle."""


class InvalidParameterError(RbmleError):
    """A hyper-parameter is outside of what its constraint allows."""


class InvalidInputError(RbmleError):
    """Contexts, rewards or arms are not what the method takes. The state is what it was before the call."""


class StateFileError(RbmleError):
    """A saved file is damaged, of a newer format, or cannot be written as plain data."""


class ConvergenceError(RbmleError):
    """An estimate could not be computed to the stated tolerance; no number is returned rather than a wrong one."""
