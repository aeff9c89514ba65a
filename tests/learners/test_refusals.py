"""What cannot work is refused in a sentence that says what would."""

import numpy as np
import pytest
from engine_corpora import pose, random_sample

from widemargin.engine.objectives import OBJECTIVES, objective_named
from widemargin.engine.penalty import Penalty, l2_from
from widemargin.errors import InputError
from widemargin.families.tagging.costs import Cost, parse_cost
from widemargin.learners import learner_named, usual_objective
from widemargin.scoring.token_problem import TokenProblem
from widemargin.structures import Chain, Parts

SAMPLE = random_sample(0, rows=3)
LABELS = ("O", "A", "B")


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(InputError, match=r"learner 'sdg' is not known; choose one of perceptron, mira, sgd, ops, rda, adadelta, smd"):
        learner_named("sdg")
    with pytest.raises(InputError, match="learner"):
        usual_objective("sdg")
    with pytest.raises(InputError, match=f"objective 'adam' is not known; choose one of {', '.join(OBJECTIVES)}"):
        objective_named("adam")


def test_numbers_of_an_objective():
    assert objective_named("rm").upper == OBJECTIVES["rm"].upper
    assert objective_named("rm bound=2 ratio=0.5").upper == OBJECTIVES["rm"].upper._replace(bound=2.0, ratio=0.5)
    for text, words in {
        "rm bound=-1": "bound is -1.0; it must be at least 0",
        "rm ratio=x": "ratio=x is not a number",
        "rm C=1": "'rm' takes ratio=NUMBER and bound=NUMBER, not 'C=1'",
        "hinge bound=1": "'hinge' takes no numbers",
    }.items():
        with pytest.raises(InputError, match=words):
            objective_named(text)
    with pytest.raises(InputError, match=r"ops has no setting 'eta'; its settings are epochs, rate, .*"):
        learner_named("ops", {"eta": 1})
    with pytest.raises(InputError, match=r"no conversion for 'svmlight'; choose one of kummerfeld2015"):
        l2_from("svmlight", 1.0, 10)


class OnlyBest:
    """A structure that can maximise and nothing else."""

    name, offers, labels, lanes = "only-best", frozenset({"argmax"}), 3, (0,)


@pytest.mark.parametrize("objective", ["likelihood", "softmax-margin", "jensen"])
def test_a_structure_without_sums_refuses_objectives_that_need_them(objective):
    with pytest.raises(InputError, match=f"'{objective}' needs logsum, which only-best does not offer; perceptron, hinge, ramp work"):
        objective_named(objective, OnlyBest())
    with pytest.raises(InputError, match=f"'{objective}' needs logsum, which only-best does not offer"):
        TokenProblem(SAMPLE.corpus(), OnlyBest(), parse_cost("hamming", LABELS), OBJECTIVES[objective])


def test_a_structure_without_tilt_refuses_risk():
    with pytest.raises(InputError, match="'risk' needs tilt, which only-best does not offer"):
        objective_named("risk", OnlyBest())
    for name in ("perceptron", "hinge", "ramp"):
        assert objective_named(name, OnlyBest()).name == name


def test_a_cost_for_other_labels_is_refused():
    with pytest.raises(InputError, match="the cost is for 2 labels, the structure has 3"):
        TokenProblem(SAMPLE.corpus(), Chain(3), Cost("two", LABELS[:2], np.zeros((2, 2))), OBJECTIVES["hinge"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("f1", r"cost 'f1' is not known; use hamming, hamming\*5"),
        ("hamming*five", r"'five' in 'hamming\*five' is not a number"),
        ("hamming*-1", "negative or infinite price"),
        ("hamming*inf", "negative or infinite price"),
        ("hamming*nan", "negative or infinite price"),
        ("miss=3,fals=1", "names 'fals'; the kinds of error are miss, false and type"),
        ("miss=3,false", "'false' is not NAME=NUMBER"),
        ("miss=three", "'three' in 'miss=three' is not a number"),
        ("miss=-1", "negative or infinite price"),
        ("weights:C=2", "label 'C' does not occur in the training data; the labels are O, A, B"),
        ("weights:A", "'A' is not NAME=NUMBER"),
        ("weights:A=x", "'x' in 'weights:A=x' is not a number"),
        ("matrix:/no/such/file", r"the cost matrix cannot be read .*; matrix:FILE wants lines GOLD GUESS COST"),
    ],
)
def test_bad_costs(text, sentence):
    with pytest.raises(InputError, match=sentence):
        parse_cost(text, LABELS)


def test_kinds_of_error_need_an_outside():
    with pytest.raises(InputError, match=r"needs a label O, and the labels are A, B; use hamming, weights: or matrix: instead"):
        parse_cost("miss=3", ("A", "B"))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("O A", "this line has 2 fields; write GOLD GUESS COST"),
        ("O X 1", "label 'X' does not occur"),
        ("O A much", "'much' in 'O A much' is not a number"),
    ],
)
def test_bad_matrix_files_are_named_with_their_line(line, sentence, tmp_path):
    path = tmp_path / "prices"
    path.write_text(f"A O 2\n{line}\n")
    with pytest.raises(InputError, match=sentence) as refusal:
        parse_cost(f"matrix:{path}", LABELS)
    assert refusal.value.where == f"{path}:2"


def test_a_matrix_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "prices"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        parse_cost(f"matrix:{path}", LABELS)


def test_a_matrix_file_can_price_the_label_of_hash_signs(tmp_path):
    """# is a part-of-speech tag of the Penn Treebank, and a line of three fields that begins with it is a price."""
    path = tmp_path / "prices"
    path.write_text("# a remark of many words\n# $ 7\n")
    assert parse_cost(f"matrix:{path}", ("#", "$")).matrix[0, 1] == 7.0


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("sgd", {"schedule": "cosine"}, "schedule 'cosine' is not known; choose fixed, inverse or root"),
        ("ops", {"dtype": "float16"}, "dtype 'float16' is not known; choose float32 or float64"),
        ("ops", {"epochs": 0}, "epochs is 0; it must be at least 1"),
        ("ops", {"batch": 0}, "batch is 0; it must be at least 1"),
        ("ops", {"rate": 0.0}, "rate is 0.0"),
        ("ops", {"rate": "nan"}, "rate is nan"),
        ("ops", {"skip": -1}, "skip is -1.0; it must be at least 0"),
        ("ops", {"initial": -1}, "initial is -1.0"),
        ("adadelta", {"epsilon": -1}, "epsilon is -1.0"),
        ("mira", {"batch": 2}, "mira takes one row at a time"),
        ("ops", {"epochs": "many"}, "epochs=many is not a whole number"),
        ("ops", {"average": "perhaps"}, "average=perhaps is neither yes nor no"),
    ],
)
def test_bad_settings(name, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        learner_named(name, settings)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("ops", {"initial": 0.0}),
        ("adadelta", {"rho": 0.0}),
        ("adadelta", {"rho": 1.0}),
        ("sgd", {"decay": -1.0}),
        ("ops", {"rate": "inf"}),
        ("lbfgs", {"epochs": 0}),
        ("lbfgs", {"memory": 0}),
        ("lbfgs", {"history": "float"}),
        ("lbfgs", {"history": "int8"}),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(name, settings):
    with pytest.raises(InputError):
        learner_named(name, settings)


def test_text_settings_are_read():
    learner = learner_named("ops", {"average": "yes", "epochs": "3", "rate": "0.5"})
    assert (learner.average, learner.epochs, learner.rate) == (True, 3, 0.5)


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["l1", "l2"])
def test_penalties_are_numbers_from_0_up(name, value):
    with pytest.raises(InputError, match=f"{name} is"):
        Penalty(**{name: value})


def test_a_checkpoint_of_other_data_is_refused():
    kept = []
    learner = learner_named("ops", {"epochs": 1, "dtype": "float64"})
    learner.fit(pose(SAMPLE, "hinge"), keep=lambda epoch, state, history, final: kept.append((state(), history)))
    with pytest.raises(InputError, match="the checkpoint was written for other data or settings"):
        learner.fit(pose(random_sample(0, rows=3, nodes=11), "hinge"), state=kept[0])


def test_an_empty_corpus_is_refused():
    empty = random_sample(0, rows=3)
    empty.lengths, empty.gold, empty.node, empty.edge = [], empty.gold[:0], empty.node[:0], empty.edge[:0]
    with pytest.raises(InputError, match="nothing to learn from"):
        empty.corpus()


def test_a_row_without_tokens_is_refused():
    """A kernel would read before the beginning of its tables."""
    hollow = random_sample(0, rows=3)
    hollow.lengths = [*hollow.lengths, 0]
    with pytest.raises(InputError):
        hollow.corpus()


def test_fewer_than_one_best_output_is_refused():
    with pytest.raises(InputError):
        Chain(3).kbest(Parts(np.zeros((2, 3)), np.zeros((3, 3))), 0)
