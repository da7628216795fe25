"""What can go wrong, by name. All are ValueErrors, so a plain ``except ValueError`` still works."""

from typing import Self


class RbmleError(ValueError):
    """Base of every error raised on purpose by rbmle."""


class InvalidParameterError(RbmleError):
    """A hyper-parameter is outside of what its constraint allows."""


class FrozenParameterError(InvalidParameterError, AttributeError):
    """A hyper-parameter was assigned after construction. An AttributeError too, as of any frozen dataclass."""


class InvalidInputError(RbmleError):
    """Contexts, rewards or arms are not what the method takes. The state is what it was before the call."""


class LogError(InvalidInputError):
    """A log holds what no decision can have left. Says in which row and column, and of which file.

    row     the number of the row in the file or table, from 0 (in text files the line, from 1); None where it is all
    column  the column, as it is called there
    source  the file, or what else the row is of
    """

    def __init__(self, message: str, *, row: int | None = None, column: str = "", source: str = "") -> None:
        super().__init__(message)
        self.row, self.column, self.source = row, column, source


class NotMergeableError(InvalidInputError):
    """What two policies of this kind have learnt cannot be put together: it depends on the order of rewards, say."""


class StateFileError(RbmleError):
    """A saved file is damaged, of a newer format, or cannot be written as plain data."""


class FileAccessError(StateFileError, OSError):
    """The system refused to read or write a file: a full disk, missing rights, a device in its place."""

    @classmethod
    def of(cls, reason: OSError, message: str) -> Self:
        """An error with a message of ours and the system's number."""
        error = cls(message)
        error.errno, error.filename = reason.errno, reason.filename
        return error

    def __str__(self) -> str:
        return str(self.args[0])  # OSError would show number and file name instead


class MissingFileError(FileAccessError, FileNotFoundError):
    """There is no such file. A FileNotFoundError too."""


class JournalError(StateFileError):
    """A journal cannot be read or written, or holds what no agent can have written. Nothing of the call is in it."""


class ConvergenceError(RbmleError):
    """An estimate could not be computed to the stated tolerance; no number is returned rather than a wrong one."""


class WorkerLostError(RbmleError):
    """Workers died again and again over the same trials. What was finished is in the store, if there is one."""


class FormulaError(RbmleError):
    """The formula of a policy raised an exception, or returned no arm."""


class SlowMemoryWarning(UserWarning):
    """Decisions have become slow, and there is a setting that keeps them quick."""


class SharedJournalWarning(UserWarning):
    """Several processes write one SQLite journal, with a version of SQLite that has a fault there."""


def describe(value: object) -> str:
    """Short text of a bad value for a message."""
    if isinstance(value, int) and value.bit_length() > 200:  # Python refuses to write very long ones
        return f"an int of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception as reason:  # noqa: BLE001  somebody else's object; also integers of many thousand digits
        text = f"an object of {type(value).__name__} whose repr raises {type(reason).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."
