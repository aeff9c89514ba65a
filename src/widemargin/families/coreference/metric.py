"""How well chains are found: MUC, B3, CEAF-m, CEAF-e, BLANC, LEA and the CoNLL average, as the reference scorer (v8.01) computes them.

K: the chains of the key, R: those of the response; a mention is its run of words. Each metric is a recall and a precision, fractions whose
numerators and denominators are summed over documents, and F = 2PR / (P + R).

    MUC     links: |k| less the parts that R cuts k into, of |k| - 1                            (Vilain et al. 1995)
    B3      for every mention the part of its chain that its response has too                   (Bagga and Baldwin 1998)
    CEAF-m  the best one-to-one map between chains, by |k n r|                                  (Luo 2005)
    CEAF-e  likewise, by 2 |k n r| / (|k| + |r|)
    BLANC   links between mentions, and pairs that are not linked; the mean of both F           (Recasens and Hovy 2011; Luo et al. 2014)
    LEA     for every chain, weighted by its size, the part of its links that is found          (Moosavi and Strube 2016)
    CoNLL   the mean F of MUC, B3 and CEAF-e
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from widemargin.errors import several
from widemargin.families.coreference.documents import Chains, Documents

METRICS = ("muc", "b3", "ceafm", "ceafe", "lea", "blanc")
CONLL = ("muc", "b3", "ceafe")
COUNTS = {"muc": 4, "b3": 4, "ceafm": 4, "ceafe": 4, "lea": 4, "blanc": 8, "mentions": 3}
AT = dict(zip(COUNTS, np.cumsum([0, *COUNTS.values()]).tolist()))
WIDTH = sum(COUNTS.values())

Clusters = Sequence[Sequence[Hashable]]


def owners(chains: Clusters) -> dict[Hashable, int]:
    """The chain of every mention."""
    return {mention: c for c, chain in enumerate(chains) for mention in chain}


def pairs(n: int) -> int:
    """Of n things."""
    return n * (n - 1) // 2


class Overlap:
    """Two clusterings of one document, and how many mentions their chains share."""

    def __init__(self, key: Clusters, response: Clusters):
        self.key, self.response = key, response
        self.of_key, self.of_response = owners(key), owners(response)
        shared = [(k, self.of_response[mention]) for mention, k in self.of_key.items() if mention in self.of_response]
        self.shared = Counter(shared)

    def counts(self) -> list[float]:
        """All numerators and denominators, in the order of COUNTS."""
        swapped = Counter({(r, k): n for (k, r), n in self.shared.items()})
        key, response = [len(k) for k in self.key], [len(r) for r in self.response]
        out: list[float] = []
        for side in (_muc, _b3):
            out += [*side(key, self.shared), *side(response, swapped)]
        for similarity in (lambda n, k, r: n, lambda n, k, r: 2.0 * n / (k + r)):
            common = self._best_map(key, response, similarity)
            entity = similarity(1, 1, 3) != 1
            out += [common, len(key) if entity else sum(key), common, len(response) if entity else sum(response)]
        out += [*_lea(key, response, self.shared), *_lea(response, key, swapped)]
        return [*out, *self._blanc(key, response), sum(self.shared.values()), sum(key), sum(response)]

    def _best_map(self, key: list[int], response: list[int], similarity: Callable[[int, int, int], float]) -> float:
        """The largest sum of similarities of chains that are mapped one to one, component by component of those that share mentions."""
        if not self.shared:
            return 0.0
        from scipy.optimize import linear_sum_assignment
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        k, r = (np.array(column) for column in zip(*self.shared))
        size = len(key) + len(response)
        _, component = connected_components(coo_array((np.ones(len(k)), (k, r + len(key))), shape=(size, size)), directed=False)
        edges: dict[int, list[tuple[int, int]]] = {}
        for pair in self.shared:
            edges.setdefault(int(component[pair[0]]), []).append(pair)
        total = 0.0
        for found in edges.values():
            rows, columns = ({c: place for place, c in enumerate(sorted({pair[side] for pair in found}))} for side in (0, 1))
            table = np.zeros((len(rows), len(columns)))
            for a, b in found:
                table[rows[a], columns[b]] = similarity(self.shared[a, b], key[a], response[b])
            total += float(table[linear_sum_assignment(table, maximize=True)].sum())
        return total

    def _blanc(self, key: list[int], response: list[int]) -> list[float]:
        """Links in both, in the key, in the response; pairs not linked likewise; mentions of keys without any pair, and those matched."""
        linked = sum(map(pairs, self.shared.values()))
        by_key, by_response = Counter[int](), Counter[int]()
        for (k, r), n in self.shared.items():
            by_key[k] += n
            by_response[r] += n
        both = sum(self.shared.values())
        unlinked = pairs(both) - sum(map(pairs, by_key.values())) - sum(map(pairs, by_response.values())) + linked
        links, found = sum(map(pairs, key)), sum(map(pairs, response))
        alone = sum(key) == 1
        same = alone and both == 1 and sum(response) == 1
        return [linked, links, found, unlinked, pairs(sum(key)) - links, pairs(sum(response)) - found, int(alone), int(same)]


def _muc(sizes: list[int], shared: Counter) -> tuple[int, int]:
    """Links that are found, and all links, of one side."""
    parts, inside = Counter[int](), Counter[int]()
    for (k, _), n in shared.items():
        parts[k] += 1
        inside[k] += n
    return sum(n - (parts[k] + n - inside[k]) for k, n in enumerate(sizes)), sum(n - 1 for n in sizes)


def _b3(sizes: list[int], shared: Counter) -> tuple[float, int]:
    """Over the mentions of one side, the part of each one's chain that the other side has with it."""
    return sum(n * n / sizes[k] for (k, _), n in shared.items()), sum(sizes)


def _lea(sizes: list[int], others: list[int], shared: Counter) -> tuple[float, int]:
    """Links that are found, of each chain's, weighted by its size; a chain of one mention has a link to itself."""
    links = Counter[int]()
    for (k, r), n in shared.items():
        links[k] += int(others[r] == 1) if sizes[k] == 1 else pairs(n)
    return sum(n * links[k] / max(1, pairs(n)) for k, n in enumerate(sizes)), sum(sizes)


def document_counts(key: Clusters, response: Clusters, *, singletons: bool = True) -> list[float]:
    """What all metrics are computed from, of one document. singletons: chains of one mention count; else they are dropped on both sides."""
    if not singletons:
        key, response = ([chain for chain in chains if len(chain) > 1] for chains in (key, response))
    return Overlap(key, response).counts()


def rates(counts: np.ndarray) -> dict[str, np.ndarray]:
    """Recall, precision and F of every metric [..., 3], from 0 to 1, from sums of counts [..., WIDTH]."""
    out = {}
    for name in (*METRICS[:-1], "mentions"):
        at = AT[name]
        a, b, c, d = (counts[..., at + (j if name != "mentions" else (0, 1, 0, 2)[j])] for j in range(4))
        out[name] = _three(ratio(a, b), ratio(c, d))
    linked, links, found, unlinked, apart, found_apart, alone, same = np.moveaxis(counts[..., AT["blanc"] : AT["blanc"] + 8], -1, 0)
    together = _three(ratio(linked, links), ratio(linked, found))
    separate = _three(ratio(unlinked, apart), ratio(unlinked, found_apart))
    mean = np.where((links == 0)[..., None], separate, np.where((apart == 0)[..., None], together, (together + separate) / 2))
    single = np.repeat(ratio(same, alone)[..., None], 3, axis=-1)
    out["blanc"] = np.where(((links == 0) & (apart == 0))[..., None], single, mean)
    return out


def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, and 0 where b is 0."""
    return np.divide(a, b, out=np.zeros(np.broadcast(a, b).shape), where=np.asarray(b) != 0)


def _three(recall: np.ndarray, precision: np.ndarray) -> np.ndarray:
    return np.stack([recall, precision, ratio(2 * recall * precision, recall + precision)], axis=-1)


class ChainScores:
    """Chains of a response against those of the key (families.base.Scores)."""

    def __init__(self, key: Sequence[Chains], response: Sequence[Chains], *, singletons: bool = True, metric: str = "conll"):
        found = [document_counts(k, r, singletons=singletons) for k, r in zip(key, response)]
        self.counts = np.array(found, float).reshape(-1, WIDTH)
        self.metric, self.singletons = metric, singletons

    def score(self, counts: np.ndarray) -> np.ndarray:
        """The metric, in per cent, of sums of counts [..., WIDTH]."""
        found = rates(np.asarray(counts))
        if self.metric != "conll":
            return 100.0 * found[self.metric][..., 2]
        return 100.0 * np.mean([found[name][..., 2] for name in CONLL], axis=0)

    def as_dict(self) -> dict:
        """Every F as NAME, recalls and precisions as NAME_recall and NAME_precision, and conll."""
        found = rates(self.counts.sum(axis=0))
        out = {"conll": float(100.0 * sum(found[name][2] for name in CONLL) / len(CONLL))}
        for name, values in found.items():
            out |= dict(zip((name, f"{name}_recall", f"{name}_precision"), (100.0 * values[[2, 0, 1]]).tolist()))
        return out

    def report(self) -> str:
        found = self.as_dict()
        what = "singletons kept" if self.singletons else "singletons dropped"
        lines = [f"{f'''{several(len(self.counts), 'document')}, {what}''':32} recall  precision      F"]
        for name in ("mentions", *METRICS):
            lines.append(f"{name:32} {found[f'{name}_recall']:6.2f} {found[f'{name}_precision']:10.2f} {found[name]:6.2f}")
        return "\n".join([*lines, f"{'CoNLL average':32} {found['conll']:24.2f}"]) + "\n"


def compare_documents(gold: Documents, system: Documents, *, singletons: bool = True) -> ChainScores:
    """Two sets of the same documents; other words are refused."""
    from widemargin.families.coreference.alignment import aligned_chains

    return ChainScores(*aligned_chains(gold, system), singletons=singletons)
