"""The command `rbmle`: one file per verb. Whatever is heavy is imported by the verb that needs it."""

from rbmle.cli.app import app

__all__ = ["app"]
