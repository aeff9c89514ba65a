"""Reports as files in a folder."""

import os

from widemargin.errors import InputError
from widemargin.readers.files import atomic_writer


def write_texts(folder: str, texts: dict[str, str]) -> list[str]:
    """Files in a folder that is made if it is not there; returns their paths."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"the report cannot be written ({error}); name another folder with -o", folder) from error
    written = []
    for name, text in texts.items():
        path = os.path.join(folder, name)
        with atomic_writer(path) as out:
            out.write(text.encode())
        written.append(path)
    return written
