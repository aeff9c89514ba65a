"""Mixed learners and comparisons on a real Ray cluster of two nodes, all on this machine: the same bytes as on threads."""

import os

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe, open_data, pose, train
from widemargin.learners import learner_named
from widemargin.learners.mixing import in_memory
from widemargin.study.cells import Means
from widemargin.study.comparison import compare_recipes
from widemargin.study.grids import axis_of, candidates
from widemargin.workers import Engine

pytestmark = [pytest.mark.wide, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings
ray = pytest.importorskip("ray")
MEMORY = 100 * 2**20


class Nodes:
    """A cluster, and a second node that can be removed."""

    def __init__(self):
        from ray.cluster_utils import Cluster

        room = {"num_cpus": 2, "object_store_memory": MEMORY}
        self.cluster = Cluster(initialize_head=True, head_node_args=room | {"include_dashboard": False})
        self.second = self.cluster.add_node(**room)

    def remove(self):
        self.cluster.remove_node(self.second)
        self.second = None


@pytest.fixture(scope="module")
def nodes():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    found = Nodes()
    yield found
    ray.shutdown()
    found.cluster.shutdown()


@pytest.fixture(scope="module")
def problem():
    return pose(Recipe("chunk", "perceptron"), open_data("town:train:24", "chunk")).problem


HOW = learner_named("perceptron", {"epochs": 4})


def on_threads(problem):
    return HOW.fit(problem, shards=in_memory(problem, 4, Engine().crew())).w


def test_the_same_bytes_with_a_worker_killed_and_a_node_removed(nodes, problem):
    """All of it in one fit, on the cluster that the address names: nodes are expensive."""
    notes, done = [], []
    with Engine("ray", 2, nodes.cluster.address).crew(notes.append) as crew:
        assert len([node for node in ray.nodes() if node["Alive"]]) == 2

        def heard(facts):
            if facts["epoch"] == 2 and "killed" not in done:
                done.append("killed")
                for worker in list(crew.workers.values()):
                    ray.kill(worker.actor)
            if facts["epoch"] == 3 and "removed" not in done:
                done.append("removed")
                nodes.remove()

        found = HOW.fit(problem, shards=in_memory(problem, 4, crew, heard)).w
    assert done == ["killed", "removed"]
    assert len(notes) >= 2
    assert found.tobytes() == on_threads(problem).tobytes()


def test_files_are_read_by_actors(nodes, tmp_path):
    text = open_data("town:train:12", "chunk").text
    sentences = bytes(text).strip().split(b"\n\n")
    files = [str(tmp_path / f"part-{k}") for k in range(2)]
    for k, path in enumerate(files):
        with open(path, "wb") as handle:
            handle.write(b"\n\n".join(sentences[k::2]) + b"\n\n")
    one, two = (train("chunk", files, epochs=2, engine=engine) for engine in (None, Engine("ray", 2, nodes.cluster.address)))
    for name, array in one.parts()[1].items():
        np.testing.assert_array_equal(array, two.parts()[1][name])


def test_a_comparison_is_that_of_this_process(nodes):
    data, dev = open_data("town:train:12", "chunk"), open_data("town:dev:6", "chunk")
    rows = {
        name: candidates(name, Recipe("chunk", name, settings={"epochs": 2}), [axis_of("ops.rate=0.1,0.3")]) for name in ("mira", "ops")
    }
    here, there = (
        compare_recipes(rows, data, dev, seeds=2, samples=100, means=Means(engine=engine))
        for engine in (None, Engine("ray", 2, nodes.cluster.address))
    )
    for one, two in zip(here.runs, there.runs):
        times = {"cpu_per_epoch", "relative"}
        assert {key: one[key] for key in one.keys() - times} == {key: two[key] for key in two.keys() - times}


def test_errors_come_back_as_they_were(nodes):
    with pytest.raises(InputError, match="there is no such file"):
        train("chunk", ["town:train:4", "/nowhere"], engine=Engine("ray", 1, nodes.cluster.address))
