"""Clusters by name: a file of JSON lines (.gz too), a folder of plain text, or clusters of the embedded corpus; and files of answers.

In a folder every subfolder is a cluster and its *.txt are the documents; a subfolder of it called `references` has the summaries. A folder
with *.txt of its own is one cluster.
"""

import json
import os
import pathlib

from widemargin.errors import InputError
from widemargin.families.sources import TOWN, town_part
from widemargin.families.summaries.clusters import Cluster, Clusters, cluster_of
from widemargin.readers.encodings import read_whole

REFERENCES = "references"


def open_clusters(path: str, *, encoding: str = "utf-8") -> Clusters:
    """Clusters of a file (- for standard input), of a folder, or town:PART[:CLUSTERS]."""
    if path.startswith(TOWN):
        from widemargin.corpora.town.clusters import clusters_text

        part, count = town_part(path, encoding)
        return read_clusters(clusters_text(part, clusters=count).encode(), path)
    if os.path.isdir(path):
        return read_folder(path, encoding=encoding)
    data, source = read_whole(path, encoding)
    return read_clusters(data, source)


def read_clusters(data: bytes, source: str) -> Clusters:
    """JSON lines, an object each (clusters.cluster_of says what stands in it); empty lines are skipped."""
    found: list[Cluster] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{source}:{number}"
        try:
            record = json.loads(line.decode())
        except UnicodeDecodeError:
            raise InputError("this is not UTF-8; use --encoding to say what it is", where) from None
        except RecursionError:
            raise InputError("this JSON is nested too deeply; a cluster is an object with documents and references", where) from None
        except ValueError as error:
            raise InputError(f"this is not JSON ({str(error)[:60]}); a cluster is one line of JSON", where) from None
        if not isinstance(record, dict):
            raise InputError("this is JSON but not an object; a cluster is an object with documents and references", where)
        found.append(cluster_of(record, where, len(found) + 1))
    if not found:
        raise InputError("there is no cluster in it; give a JSON object a line", source)
    return Clusters(tuple(found), source)


def read_folder(path: str, *, encoding: str = "utf-8") -> Clusters:
    """Text files of a folder."""
    top = pathlib.Path(path)
    folders = [top] if any(top.glob("*.txt")) else sorted(entry for entry in top.iterdir() if entry.is_dir())
    found: list[Cluster] = []
    for folder in folders:
        documents, references = (_texts_in(where, encoding) for where in (folder, folder / REFERENCES))
        if not documents:
            raise InputError("there is no text (*.txt) in this folder", str(folder))
        record = {"id": folder.name, "documents": documents} | ({"references": references} if references else {})
        found.append(cluster_of(record, str(folder), len(found) + 1))
    if not found:
        raise InputError("there is neither text (*.txt) nor a folder of texts in this folder", path)
    return Clusters(tuple(found), path)


def _texts_in(folder: pathlib.Path, encoding: str) -> list[str]:
    found = []
    for file in sorted(folder.glob("*.txt")):
        data, source = read_whole(str(file), encoding)
        try:
            found.append(data.decode())
        except UnicodeDecodeError:
            raise InputError("this is not UTF-8; use --encoding to say what it is", source) from None
    return found
