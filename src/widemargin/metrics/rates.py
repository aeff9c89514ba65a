"""Precision, recall and F1 from counts."""


def rates(correct: int, guessed: int, gold: int) -> tuple[float, float, float]:
    """Precision, recall and F1 in per cent, 0 where nothing can be counted, by conlleval's own arithmetic."""
    precision = 100 * correct / guessed if guessed else 0.0
    recall = 100 * correct / gold if gold else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if correct else 0.0
