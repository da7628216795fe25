"""``python -m rbmle`` is the command ``rbmle``."""

from rbmle.cli import app

if __name__ == "__main__":
    app(prog_name="rbmle")
