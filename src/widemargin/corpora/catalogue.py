"""Public data sets that commands and benchmarks know: where each lives, its licence, and digests of its files' text."""

import hashlib
import io
import os
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass

from widemargin.errors import InputError
from widemargin.readers.files import atomic_writer, open_bytes

FOLDER_VARIABLE = "WIDEMARGIN_DATA"
EMBEDDED = "town:"  # in place of a folder: no files at all


@dataclass(frozen=True)
class DataSet:
    """Files (name -> SHA-256 of the unpacked text) and how to get them; an empty url means by hand."""

    name: str
    about: str
    licence: str
    files: dict[str, str]
    url: str = ""
    members: dict[str, str] | None = None  # file -> its place in the archive at url
    by_hand: str = ""


CATALOGUE = {
    data.name: data
    for data in (
        DataSet(
            name="conll2000",
            about="CoNLL-2000 chunking, English: word pos chunk",
            licence="Penn Treebank text released for the shared task; research use",
            files={
                "train.txt": "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea",
                "test.txt": "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628",
            },
            url="https://raw.githubusercontent.com/nltk/nltk_data/5db857e6f7df11eabb5e5665836db9ec8df07e28/packages/corpora/conll2000.zip",
            members={"train.txt": "conll2000/train.txt", "test.txt": "conll2000/test.txt"},
        ),
        DataSet(
            name="conll2003",
            about="CoNLL-2003 named entities, English: word pos chunk entity",
            licence="not open: Reuters RCV1 text under the NIST agreement",
            files={
                "eng.train": "eac0822f501353f265383ddf1edb0dcd42a1b6eefd3e383d7074db98c38eb41c",
                "eng.testa": "aedc4ccbd1ae9795feaa0e86fe72d195b0258abed9d705b630d1c889276fac1e",
                "eng.testb": "0632f32c090ef31c223135b7fee3187a7cf8e65c4015c7866bb7783428cdd9a6",
            },
            by_hand="ask NIST for the Reuters corpus and build the files with the shared task's scripts",
        ),
        DataSet(
            name="ocr_letters",
            about="handwritten words, 16 x 8 pixels a letter, in ten folds: word_id,fold,position,label,pixels",
            licence="none stated; collected by R. Kassel, cut and scaled by B. Taskar",
            files={"letters.csv": "bd5e14cf18583ede2eab0d260d92b3b9cca667b8ed5a79e2783cf1564883c130"},
            by_hand="take letter.data of ai.stanford.edu/~btaskar/ocr and write its letters as word_id,fold,position,label,pixels",
        ),
        DataSet(
            name="litbank_coref",
            about="LitBank, coreference chains in English fiction, singletons too, fold 0 of ten: CoNLL-2012 columns",
            licence="CC BY 4.0",
            files={
                "train.conll": "91fadd0059e77297d3fefdf8447a3607e1e169220d4bf280e0a791c9b9f94076",
                "dev.conll": "ae021c610bb5cb390fc626e206dec9ca134af8fc02c665f68d5d8b2f12712cd6",
                "test.conll": "58a56e04c4409be3f8c60861f3ac4fceff14a37c34890875503aedeca7a7d37e",
            },
            by_hand="take coref/conll of github.com/dbamman/litbank, write - in empty last cells, and split it by fold 0 of lrec2020-coref",
        ),
        DataSet(
            name="ud_english_ewt",
            about="UD English EWT, dependency trees, release 2.16",
            licence="CC BY-SA 4.0",
            files={
                "en_ewt-ud-train.conllu": "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
                "en_ewt-ud-dev.conllu": "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
                "en_ewt-ud-test.conllu": "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
            },
            by_hand="take UD_English-EWT of release 2.16 from universaldependencies.org",
        ),
        DataSet(
            name="ud_basque_v1.2",
            about="UD Basque, dependency trees with many crossing arcs, release 1.2",
            licence="CC BY-NC-SA 3.0",
            files={
                "eu-ud-train.conllu": "81c60c6f03ce1171ae3f525de391c3b67609b30db9b79d7894c263c2f362dda6",
                "eu-ud-dev.conllu": "9425e5de7a673919f93122fe8ebd10127645464ba916ed94206246e21158662a",
                "eu-ud-test.conllu": "c06b715d5e5fac5f814b2dd15c338a88943bcfb20b12a2dbb6717f230a7b81aa",
            },
            by_hand="take UD_Basque of release 1.2 from universaldependencies.org",
        ),
        DataSet(
            name="ptb_sample",
            about="a tenth of the Penn Treebank's Wall Street Journal, files 0001 to 0199, a tree a line",
            licence="not open: (C) LDC 1995, a fragment for illustrating NLTK, non-commercial use",
            files={
                "train.mrg": "8106534c19b6231e4bcbbac4d37fc59ce809ba977639111967a3f23705915615",
                "dev.mrg": "476c98eb683289b6e6ebb5509a5a19f0a066ecfde6c7352e2dd161a4f3c57657",
                "test.mrg": "676be3f35530ddf915ebaad5ace54c0573e60aa3644ae647bf39011671273686",
            },
            by_hand="take treebank/combined of nltk_data and write files 0001-0159, 0160-0179 and 0180-0199, each tree on a line",
        ),
        DataSet(
            name="summarization_fewsum",
            about="FewSum: eight reviews of a business or product and three summaries, Yelp and Amazon, as JSON lines",
            licence="MIT (the reviews come from the Yelp challenge and from Amazon)",
            files={
                "yelp.train.jsonl": "c48b21c34683eb52fdec16780eafbba9f1040f0ebaae857150eab7adabde3a29",
                "yelp.val.jsonl": "9a5af1269c82f6791f5a68998a64a29625c7280591af1d857f8b2bcffd90563d",
                "yelp.test.jsonl": "12d1948110ecc74acf9da53187e3b9d14ab2728c606b8c975342bb635f842547",
                "amazon.train.jsonl": "95b0ad9fb4bb19fa88df4ccc3c8241190b6580bbfd35d1aaaffe4e2a939c35ab",
                "amazon.val.jsonl": "27b3b72cdc12ee01c84e63355d8ff2ec5cc8370a0116f12b8e8fbf49028b70aa",
                "amazon.test.jsonl": "f54547f603df18d2fecc6a033e3e9a49d0fea9c967955c79a66683e937c3ca2b",
            },
            by_hand="take gold_summs of github.com/abrazinskas/FewSum and write a cluster a line: id, documents, references",
        ),
    )
}


def data_folder(folder: str | None = None) -> str:
    """The folder of data sets: as given, or $WIDEMARGIN_DATA."""
    chosen = folder or os.environ.get(FOLDER_VARIABLE)
    if not chosen:
        raise InputError(f"no data folder is named; give one with -o, or set {FOLDER_VARIABLE}")
    return chosen


def data_named(name: str) -> DataSet:
    """A data set by name."""
    if name not in CATALOGUE:
        raise InputError(f"data set {name!r} is not known; choose one of {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


def place(data: DataSet, file: str, folder: str) -> str | None:
    """Path of a file, packed or not, or None when it is not there."""
    plain = os.path.join(folder, data.name, file)
    return next((path for path in (plain, plain + ".gz") if os.path.exists(path)), None)


def files_or_town(name: str, title: str, folder: str | None, parts: tuple[str, ...]) -> tuple[str, list[str]]:
    """The title and files of a data set of the folder, or of $WIDEMARGIN_DATA; when neither has it, those parts of the embedded corpus.

    A folder that was named must have it; EMBEDDED is the embedded corpus in any case.
    """
    if folder == EMBEDDED:
        return "town", [f"town:{part}" for part in parts]
    chosen, data = folder or os.environ.get(FOLDER_VARIABLE), data_named(name)
    found = [path for file in data.files if chosen and (path := place(data, file, chosen))]
    if len(found) == len(data.files):
        return title, found
    if folder:
        raise InputError(f"{title} is not there; {name}/ must hold {', '.join(data.files)}, packed (.gz) or not", folder)
    return "town", [f"town:{part}" for part in parts]


def check(data: DataSet, folder: str) -> dict[str, str]:
    """State of each file: "ok", "missing" or "other content"."""
    states = {}
    for file, digest in data.files.items():
        path = place(data, file, folder)
        if path is None:
            states[file] = "missing"
            continue
        with open_bytes(path) as stream:
            states[file] = "ok" if hashlib.sha256(stream.read()).hexdigest() == digest else "other content"
    return states


def fetch(data: DataSet, folder: str) -> list[str]:
    """Download, check the digests, and only then write the files; returns their paths."""
    if not data.url or data.members is None:
        raise InputError(
            f"{data.name} cannot be fetched ({data.licence}); {data.by_hand}, then put {', '.join(data.files)} into {folder}/{data.name}"
        )
    try:
        with urllib.request.urlopen(data.url, timeout=60) as answer:
            archive = zipfile.ZipFile(io.BytesIO(answer.read()))
        texts = {file: archive.read(member) for file, member in data.members.items()}
    except (OSError, urllib.error.URLError, zipfile.BadZipFile, KeyError) as error:
        raise InputError(
            f"{data.name} could not be fetched ({error}); try again, or put {', '.join(data.files)} into {folder}/{data.name}"
        ) from error
    for file, text in texts.items():
        if hashlib.sha256(text).hexdigest() != data.files[file]:
            raise InputError(f"{file} of {data.name} is not what the catalogue expects; nothing was written", data.url)
    os.makedirs(os.path.join(folder, data.name), exist_ok=True)
    written = []
    for file, text in texts.items():
        path = os.path.join(folder, data.name, file)
        with atomic_writer(path) as out:
            out.write(text)
        written.append(path)
    return written
