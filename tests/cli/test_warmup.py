"""What is compiled ahead: by task, by number of labels, in work that other processes can take."""

import pickle

import pytest

from widemargin.cli import main, warmup
from widemargin.families.recipes import Recipe
from widemargin.families.registry import families, family_of_task
from widemargin.learners import usual_objective


def test_work_can_be_sent_to_other_processes_and_every_is_more():
    for family in families():
        usual, every = (family.warmups(every=which) for which in (False, True))
        assert len({job.title for job in every}) == len(every) >= len(usual)
        assert [pickle.loads(pickle.dumps(job.work)).func for job in usual if hasattr(job.work, "func")] == [
            job.work.func for job in usual if hasattr(job.work, "func")
        ]


def test_what_is_compiled_ahead_is_what_tasks_do():
    """Of corpora that everybody has, with the objective that the task has when none is named."""
    tagging = family_of_task("ner")
    for task, labels in (("chunk", 23), ("tag", 17), ("ner", 9)):
        recipe = Recipe(task)
        titles = [job.title for job in tagging.warmups(every=False) if f" {labels} labels" in job.title]
        assert titles == [f"taggers of {labels} labels, {recipe.learner}, {recipe.objective or usual_objective(recipe.learner)}"]


@pytest.mark.parametrize(("words", "wanted"), [(["depparse"], ["depparse"]), (["ner", "tag"], ["ner"]), ([], ["ner", "depparse"])])
def test_tasks_name_what_is_compiled(words, wanted, monkeypatch, capsys):
    compiled: list = []
    monkeypatch.setattr(warmup, "_compile", lambda jobs, tell: compiled.extend(jobs))
    assert main(["warmup", *words]) == 0
    assert [job.title for job in compiled] == [job.title for task in wanted for job in family_of_task(task).warmups(every=False)]
    assert f"{len(compiled)} kind" in capsys.readouterr().out
    assert main(["warmup", "ner", "--labels", "7"]) == 0
    assert all("7 labels" in job.title for job in compiled[-2:])
    assert main(["warmup", "depparse", "--labels", "7"]) == 2
    assert main(["warmup", "nothing"]) == 2
