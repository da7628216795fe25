"""A figure that belongs to no window and shows itself in a notebook. Imported where something is drawn."""

import io

from matplotlib.figure import Figure


class Drawing(Figure):
    """A matplotlib figure with a picture of itself, so that a notebook needs no `%matplotlib inline`."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()
