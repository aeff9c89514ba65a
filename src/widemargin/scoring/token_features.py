"""The features of tokens, as sparse rows of numbers: what features/ makes and scoring reads."""

from dataclasses import dataclass, field

import numpy as np

ALL_ONE = np.empty(0, np.float32)


@dataclass(frozen=True, eq=False)
class Features:
    """The features of each token, as sparse rows. Edge features belong to a token and the label before it, so first tokens have none."""

    row_ptr: np.ndarray  # int64 [S+1], sentence bounds in tokens
    node_ptr: np.ndarray  # int64 [N+1]
    node_ind: np.ndarray  # int32
    edge_ptr: np.ndarray  # int64 [N+1], or one 0 when no template has label[-1]
    edge_ind: np.ndarray  # int32
    node_val: np.ndarray = field(default_factory=lambda: ALL_ONE)  # float32 [node_ind], or empty: all 1

    def __len__(self) -> int:
        return len(self.node_ptr) - 1
