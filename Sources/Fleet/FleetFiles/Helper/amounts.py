"""Amounts of money in a row of words."""

import re
from decimal import Decimal

# An amount of money has two decimals. Tesseract often reads a space after the decimal mark.
AMOUNT = re.compile(r"(?<![\d.,/:-])(-?)\s?(\d{1,3}(?:[,.' ]\d{3})+[.,]\s?\d{2}|\d{1,6}\s?[.,]\s?\d{2})(?![\d%]|[.,/:-]\d|\s?%)")


# Characters that tesseract reads in place of digits, in a word that is otherwise an amount.
SIMILAR = str.maketrans({"O": "0", "o": "0", "Q": "0", "I": "1", "l": "1", "|": "1", "S": "5", "s": "5", "§": "5", "B": "8", "Z": "2"})
ALMOST_AMOUNT = re.compile(r"(?:RM|EUR|\$|€)?[0-9OoQIl|Ss§BZ]{1,6}[.,][0-9OoQIl|Ss§BZ]{2}")


def repaired(word):
    """The word with digits in place of similar characters, if it is then an amount."""
    if not ALMOST_AMOUNT.fullmatch(word.text) or re.fullmatch(r"[^OoQIl|Ss§BZ]+", word.text):
        return word
    if sum(character.isdigit() for character in word.text) < 2:
        return word
    start = re.match(r"(?:RM|EUR|\$|€)?", word.text).end()
    text = word.text[:start] + word.text[start:].translate(SIMILAR)
    return word.with_text(text, word.confidence * 0.8)


def decimal(text):
    """The number that a text shows; the last mark is the decimal mark if one or two, or other than three, digits follow."""
    text = text.replace(" ", "").replace("'", "")
    at = max(text.rfind("."), text.rfind(","))
    if at < 0:
        return Decimal(text)
    if text.count(text[at]) > 1:
        return Decimal(re.sub(r"[.,]", "", text))
    return Decimal(re.sub(r"[.,]", "", text[:at]) + "." + text[at + 1 :])


def amounts(row, start=0):
    """The amounts of money of a row: value and words."""
    return [
        (decimal(match[2]) * (-1 if match[1] else 1), row.words_in(match.start(2), match.end(2)))
        for match in AMOUNT.finditer(row.text)
        if match.start() >= start
    ]
