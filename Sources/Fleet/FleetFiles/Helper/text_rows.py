"""Words of a text with their places, rows of words, and values that words show."""

from decimal import Decimal

class Word:
    def __init__(self, text, left, top, width, height, confidence=1.0, line=None, letters=None):
        """`line` is the line from which a network has read the word. `letters` is the confidence without that of punctuation."""
        self.text, self.left, self.top, self.width, self.height = text, left, top, width, height
        self.confidence, self.line = confidence, line
        self.letters = confidence if letters is None else letters

    def with_text(self, text, confidence):
        """The word with another text."""
        return Word(text, self.left, self.top, self.width, self.height, confidence, self.line)

    @property
    def middle(self):
        return self.top + self.height / 2


class Row:
    """Words at the same height, from left to right."""

    def __init__(self, words):
        self.words = sorted(words, key=lambda word: word.left)
        self.text, self.starts = "", []
        for word in self.words:
            if self.text:
                self.text += " "
            self.starts.append(len(self.text))
            self.text += word.text
        self.upper = self.text.upper()
        self.top = min(word.top for word in self.words)
        self.bottom = max(word.top + word.height for word in self.words)

    def words_in(self, start, end):
        """The words that a part of the text touches."""
        return [
            word
            for word, first in zip(self.words, self.starts)
            if first < end and first + len(word.text) > start
        ]


class Found:
    """A value, where it is, and how sure it is."""

    def __init__(self, value, words, confidence):
        self.value, self.words, self.confidence = value, words, confidence

    def json(self, size):
        """`size` is that of the image; if it is `None`, the box has the coordinates of the words: left, top, right, bottom."""
        left = min(word.left for word in self.words)
        top = min(word.top for word in self.words)
        right = max(word.left + word.width for word in self.words)
        bottom = max(word.top + word.height for word in self.words)
        if size:
            box = [left / size[0], top / size[1], (right - left) / size[0], (bottom - top) / size[1]]
            box = [round(min(max(part, 0.0), 1.0), 4) for part in box]
        else:
            box = [left, top, right, bottom]
        value = str(self.value) if isinstance(self.value, Decimal) else self.value
        return {
            "value": value,
            "confidence": round(min(self.confidence, 0.99), 2),
            "box": box,
        }


def rows(words):
    """Groups words into rows: those that overlap a row by half of their height belong to it."""
    found = []
    for word in sorted(words, key=lambda word: word.middle):
        best = None
        for row in found[-4:]:
            top = sum(other.top for other in row) / len(row)
            height = sum(other.height for other in row) / len(row)
            overlap = min(top + height, word.top + word.height) - max(top, word.top)
            if overlap >= 0.5 * min(height, word.height) and (best is None or overlap > best[0]):
                best = (overlap, row)
        if best:
            best[1].append(word)
        else:
            found.append([word])
    return sorted((Row(row) for row in found), key=lambda row: row.top)


def certainty(words):
    """How sure the recognizer is of the least certain of some words."""
    return min((word.confidence for word in words), default=0.0)
