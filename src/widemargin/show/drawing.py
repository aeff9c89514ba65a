"""Drawings that a notebook shows and a file takes."""

from widemargin.readers.files import atomic_writer


class Drawing(str):
    """A drawing as the text of its SVG or HTML.

    Parameters
    ----------
    object : the text.

    Examples
    --------
    >>> Drawing("<svg></svg>")._repr_html_()
    '<svg></svg>'
    """

    def _repr_html_(self) -> str:
        """For notebooks; SVG may stand in HTML."""
        return str(self)

    def save(self, path: str) -> None:
        """Write it to a file, .svg or .html."""
        with atomic_writer(path) as out:
            out.write(self.encode())
