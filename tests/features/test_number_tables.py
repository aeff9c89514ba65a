"""Tables of numbers from users: malformed ones are refused in a sentence before any compiled loop, scipy's or ours, sees them."""

import numpy as np
import pytest
from scipy.sparse import bsr_matrix, coo_matrix, csc_matrix, csr_array, csr_matrix, dia_matrix, dok_matrix, lil_matrix

from widemargin.errors import InputError
from widemargin.features.number_tables import as_csr
from widemargin.features.sequences import read_sequences

TABLE = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
FORMATS = (csr_matrix, csc_matrix, coo_matrix, lil_matrix, dok_matrix, dia_matrix, csr_array)


def with_arrays(made, **arrays):
    """A matrix whose arrays are exchanged behind scipy's back."""
    for name, array in arrays.items():
        made.__dict__["_" + name if "_" + name in made.__dict__ else name] = array
    return made


@pytest.mark.parametrize("make", FORMATS)
def test_every_format_is_the_same_table(make):
    assert (as_csr(make(TABLE), "X").toarray() == TABLE).all()


def test_blocks_and_room_that_is_not_used():
    wide = np.hstack([np.vstack([TABLE, TABLE[:1]]), np.ones((4, 1))])
    assert (as_csr(bsr_matrix(wide, blocksize=(2, 2)), "X").toarray() == wide).all()
    roomy = csr_matrix(TABLE)
    roomy.indices, roomy.data = np.append(roomy.indices, 1), np.append(roomy.data, 7.0)
    items = read_sequences([roomy, TABLE])
    assert len(items.ind) == items.ptr[-1] == 6


@pytest.mark.parametrize("make", [csr_matrix, csc_matrix, csr_array])
@pytest.mark.parametrize(
    "arrays",
    [
        {"indices": np.array([0, 2, 3])},
        {"indices": np.array([0, -1, 1])},
        {"indices": np.array([0, 2**40, 1])},
        {"indices": np.array([0.0, 2.0, 1.0])},
        {"indices": np.array([0, 2])},
        {"indices": np.array([[0, 2, 1]])},
        {"indices": np.array([])},
        {"indptr": np.array([0, 2, 3, 4])},
        {"indptr": np.array([0, 3, 2, 3])},
        {"indptr": np.array([-1, 2, 3, 3])},
        {"indptr": np.array([0, -5, 3, 3])},
        {"indptr": np.array([1, 2, 3, 3])},
        {"indptr": np.array([0, 2, 3])},
        {"indptr": np.array([0, 2**40, 3, 3])},
        {"indptr": np.array([0.0, 2.0, 3.0, np.nan])},
        {"indptr": np.array([], np.int32)},
        {"data": np.ones((3, 1))},
        {"data": np.array([1.0, 2.0])},
        {"data": np.array(1.0)},
    ],
    ids=str,
)
def test_compressed_matrices_with_wrong_arrays(make, arrays):
    for X in (with_arrays(make(TABLE), **arrays), [with_arrays(make(TABLE), **arrays)]):
        with pytest.raises(InputError, match="malformed sparse matrix"):
            read_sequences(X)


@pytest.mark.parametrize(
    "made",
    [
        with_arrays(coo_matrix(TABLE), coords=(np.array([0, 0, 9]), np.array([0, 2, 1]))),
        with_arrays(coo_matrix(TABLE), coords=(np.array([0, 0, 1]), np.array([0, -2, 1]))),
        with_arrays(coo_matrix(TABLE), coords=(np.array([0, 0]), np.array([0, 2, 1]))),
        with_arrays(dia_matrix(TABLE), offsets=np.array([0.5, 1.0])),
        with_arrays(dia_matrix(TABLE), offsets=np.array([0])),
        with_arrays(dia_matrix(TABLE), offsets=np.array([0, 2**31 - 1])),
        with_arrays(dia_matrix(TABLE), offsets=np.array([0, -(2**31)])),
        with_arrays(bsr_matrix(np.ones((4, 4)), blocksize=(2, 2)), indices=np.array([0, 1, 0, 2])),
        with_arrays(bsr_matrix(np.ones((4, 4)), blocksize=(2, 2)), data=np.ones((4, 3, 2))),
        with_arrays(bsr_matrix(np.ones((4, 4)), blocksize=(2, 2)), data=np.ones((4, 0, 2))),
    ],
    ids=lambda made: made.format,
)
def test_other_formats_with_wrong_arrays(made):
    with pytest.raises(InputError, match="malformed sparse matrix"):
        read_sequences(made)


def test_a_list_of_lists_with_a_column_that_is_not_there():
    made = lil_matrix(TABLE)
    made.rows[1] = [7]
    with pytest.raises(InputError, match="malformed sparse matrix"):
        read_sequences(made)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
@pytest.mark.parametrize("make", [np.array, csr_matrix, coo_matrix])
def test_values_that_are_not_finite(make, bad):
    with pytest.raises(InputError, match="NaN or infinity"):
        read_sequences(make(np.where(TABLE == 2.0, bad, TABLE)))


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (np.array([["2020-01-01"]], "datetime64[D]"), "not of numbers"),
        (np.zeros((2, 2), [("a", int)]), "not of numbers"),
        (np.array([[1, 10**400]], object), "not of numbers"),
        (csr_matrix((1, 2**31)), "columns"),
        (np.array("abc"), "Reshape your data"),
        ([np.array("abc")], "sequence 0 is a ndarray"),
        ([np.ones(3)], "1 dimensions"),
        ([np.ones((1, 2, 3))], "3 dimensions"),
        ([[{"a": 10**400}]], "NaN or infinity"),
        ([["a\ud800"]], "surrogate"),
        ([[["a\ud800"]]], "surrogate"),
    ],
    ids=str,
)
def test_tables_of_something_else(X, sentence):
    with pytest.raises(InputError, match=sentence):
        read_sequences(X)


def test_dicts_in_dicts_without_end():
    token: dict = {}
    token["again"] = token
    with pytest.raises(InputError, match="more than 50 deep"):
        read_sequences([[token]])
