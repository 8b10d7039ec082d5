"""Reads what a receipt says: merchant, date, total, tax, and what was filled into a tank or a battery.

Words and their boxes come from tesseract. Everything after that is a function of these words, in this file, so that it can be
tested without images. It runs in the sandbox, too, because texts of strangers are searched with regular expressions.

A value is only reported if the receipt says it and its confidence is high enough. A value that cannot be read is absent:
a person then enters it. Nothing is taken from other receipts.
"""

import datetime
import io
import math
import os
import re
import subprocess
import unicodedata
from decimal import ROUND_HALF_UP, Decimal

import recognizer

# Values with a lower confidence are left out: of one reading, and of two readings that were combined. The latter limits are
# those at which few wrong values of ../shared/data/receipts remain (scripts/receipts.py).
LEAST = 0.5
LEAST_OF_TWO = {"merchant": 0.6, "date": 0.7, "total": 0.88, "currency": 0.7, "quantity": 0.85, "tax": 0.7}
# The same for readings of the networks.
LEAST_OF_LINES = {"merchant": 0.82, "date": 0.65, "total": 0.68, "currency": 0.7, "quantity": 0.8, "tax": 0.7}
# The longest time that tesseract may need.
SECONDS = 25


class Word:
    def __init__(self, text, left, top, width, height, confidence=1.0, line=None):
        """`line` is the line from which a network has read the word."""
        self.text, self.left, self.top, self.width, self.height = text, left, top, width, height
        self.confidence, self.line = confidence, line

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


# Numbers.

NUMBER = r"\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,3})?|\d+(?:[.,] ?\d{1,3})?"
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


def certainty(words):
    """How sure tesseract is of some words."""
    return min((word.confidence for word in words), default=0.0)


# Currency, and the country that a receipt shows.

MALAYSIA = re.compile(r"\bSDN\b|\bBHD\b|\bRM ?\d|\bRM\b|\bGST (?:ID|NO|REG|ACT)\b|\bJALAN\b|\bJLN\b|SELANGOR|JOHOR|KUALA LUMPUR|\bMYR\b")
CURRENCIES = [
    ("MYR", MALAYSIA),
    ("PLN", re.compile(r"\bPLN\b|\bZ[LŁ]\b|RAZEM|PARAGON FISKALNY")),
    ("CHF", re.compile(r"\bCHF\b|\bSFR\b")),
    ("GBP", re.compile(r"£|\bGBP\b|\bVAT REG\b.*\bGB\b")),
    ("CZK", re.compile(r"\bK[CČ]\b|\bCZK\b")),
    ("SEK", re.compile(r"\bSEK\b|\bMOMS\b.*\bKR\b")),
    ("NOK", re.compile(r"\bNOK\b")),
    ("DKK", re.compile(r"\bDKK\b")),
    ("HUF", re.compile(r"\bHUF\b|\bFT\b.*\bFIZETEND|FIZETENDŐ")),
    ("CAD", re.compile(r"\bCAD\b|\bC\$|\bHST\b|\bGST/HST\b|\bQST\b|\bTVQ\b")),
    ("AUD", re.compile(r"\bAUD\b|\bA\$|\bABN\b")),
    ("SGD", re.compile(r"\bSGD\b|\bS\$|\bSINGAPORE\b")),
    ("INR", re.compile(r"₹|\bINR\b|\bRS\.? ?\d|\bGSTIN\b|\bCGST\b|\bSGST\b")),
    ("BRL", re.compile(r"\bR\$|\bBRL\b|\bCNPJ\b")),
    ("EUR", re.compile(r"€|\bEUR\b|\bEURO\b|\bUST\b|\bMWST\b|\bUID\b|\bTVA\b.*\bSIRET\b|\bP\.? ?IVA\b")),
    ("USD", re.compile(r"\bUSD\b|\bUS\$|\b[A-Z]{2} \d{5}(?:-\d{4})?\b|\bSALES TAX\b")),
]

GALLONS, DOLLARS = re.compile(r"\bGAL(?:LONS?)?\b|/GAL\b"), re.compile(r"\$ ?\d")


def currency(found):
    """The currency that a receipt shows most often; `None` if it shows none, or two equally often."""
    counts = {}
    for code, pattern in CURRENCIES:
        lines = [row for row in found if pattern.search(row.upper)]
        if lines:
            counts[code] = (len(lines), lines[0], pattern)
    if not counts and any(GALLONS.search(row.upper) for row in found):
        # Dollars for gallons.
        lines = [row for row in found if DOLLARS.search(row.upper)]
        if lines:
            counts["USD"] = (len(lines), lines[0], DOLLARS)
    if not counts:
        return None
    best = sorted(counts.items(), key=lambda item: -item[1][0])
    # A foreign word on one line does not outweigh the currency of the others.
    code, (count, row, pattern) = best[0]
    if len(best) > 1 and best[1][1][0] == count:
        explicit = [item for item in best if re.search(rf"\b{item[0]}\b", " ".join(row.upper for row in found))]
        if len(explicit) != 1:
            return None
        code, (count, row, pattern) = explicit[0]
    match = pattern.search(row.upper)
    return Found(code, row.words_in(match.start(), match.end()) or row.words, min(0.7 + 0.1 * count, 0.95))


# Dates.

MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "JAN JANUARY JANUAR JÄN JÄNNER JANVIER JANV ENE ENERO GEN GENNAIO JANEIRO STY",
            "FEB FEBRUARY FEBRUAR FEBER FÉV FÉVR FÉVRIER FEBRERO FEBBRAIO FEV FEVEREIRO LUT",
            "MAR MARCH MÄRZ MRZ MAERZ MARS MÄR MARZO MARÇO",
            "APR APRIL AVR AVRIL ABR ABRIL APRILE KWI",
            "MAY MAI MAG MAGGIO MAYO MAIO MAJ",
            "JUN JUNE JUNI JUIN JUNIO JUNHO GIU GIUGNO CZE",
            "JUL JULY JULI JUIL JUILLET JULIO JULHO LUG LUGLIO LIP",
            "AUG AUGUST AOU AOÛT AGO AGOSTO SIE",
            "SEP SEPT SEPTEMBER SEPTEMBRE SEPTIEMBRE SET SETTEMBRE SETEMBRO WRZ",
            "OCT OCTOBER OKT OKTOBER OCTOBRE OCTUBRE OTT OTTOBRE OUT OUTUBRO PAŹ",
            "NOV NOVEMBER NOVEMBRE NOVIEMBRE NOVEMBRO LIS",
            "DEC DECEMBER DÉC DÉCEMBRE DEZ DEZEMBER DEZEMBRO DIC DICIEMBRE DICEMBRE GRU",
        ],
        1,
    )
    for name in names.split()
}
SEPARATED = re.compile(r"(?<![\d./-])(\d{1,4}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{4}|\d{2})(?!\d|[./-]\d)")
NAMED = re.compile(r"(?<![\d.])(\d{1,2})(?: DE )?[ ./-]{0,2}([A-ZÄÇÉÛŹ]{3,10})(?: DE )?[ .,/-]{0,2}(\d{4}|\d{2})(?!\d)")
NAMED_FIRST = re.compile(r"\b([A-Z]{3,9})[ .]{1,2}(\d{1,2}),? {1,2}(\d{4})(?!\d)")
COMPACT = re.compile(r"(?<!\d)(20\d{2})(\d{2})(\d{2})(?!\d)")
TIME = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]) ?[:;] ?([0-5]\d)(?: ?[:;] ?[0-5]\d)?(?:\s?([AP])\.?M\b)?", re.I)
FIRST_YEAR = 2000


def day(year, month, number):
    year = int(year)
    if year < 100:
        year += 2000
    if year < FIRST_YEAR:
        return None
    try:
        value = datetime.date(year, int(month), int(number))
    except ValueError:
        return None
    # A receipt of a later day than this one was read wrongly. Somewhere it may be tomorrow already.
    return value if value <= datetime.date.today() + datetime.timedelta(days=1) else None


def dates(row, month_first):
    """The dates of a row: date, start and end in the text, and whether the order of day and month is certain.

    `month_first` is `None` if the receipt does not show its country."""
    for match in SEPARATED.finditer(row.upper):
        first, mark, second, third = match.groups()
        if len(first) == 4:
            yield day(first, second, third) if len(third) == 2 else None, match, True
            continue
        if len(first) == 3:
            continue
        day_first, other = day(third, second, first), day(third, first, second)
        if day_first and other and first != second and mark == "/" and month_first is None:
            # 04/05/2026 is in April or in May.
            continue
        use_other = month_first and mark != "." and other
        chosen = other if use_other or not day_first and mark != "." else day_first
        yield chosen, match, bool(day_first) != bool(other) or month_first is not None or mark == "."
    for match in NAMED.finditer(row.upper):
        if match[2] in MONTHS:
            yield day(match[3], MONTHS[match[2]], match[1]), match, True
    for match in NAMED_FIRST.finditer(row.upper):
        if match[1] in MONTHS:
            yield day(match[3], MONTHS[match[1]], match[2]), match, True
    for match in COMPACT.finditer(row.upper):
        yield day(*match.groups()), match, False


NOT_THE_DAY = re.compile(r"VALID|EXPIR|EXP\b|UNTIL|BEFORE|GÜLTIG|BIS ZUM|PRINTED ON:|DUE DATE|DELIVERY|RETURN|EXCHANGE|SINCE|BORN|W\.?E\.?F")


def date(found, code):
    month_first = None if code is None else code == "USD"
    candidates = {}
    for index, row in enumerate(found):
        for value, match, is_certain in dates(row, month_first):
            if value is None or NOT_THE_DAY.search(row.upper):
                continue
            words = row.words_in(match.start(), match.end())
            score = 0.55 + 0.25 * certainty(words)
            if is_certain:
                score += 0.05
            if re.search(r"\bDA?T(?:E|UM|A)?\b|DATE|DATUM", row.upper):
                score += 0.1
            if TIME.search(row.text[match.end() :]) or TIME.search(row.text[: match.start()]):
                score += 0.1
            score -= 0.002 * index
            other = candidates.get(value)
            if other:
                other.confidence = max(other.confidence, score) + 0.1
            else:
                candidates[value] = Found(value.isoformat(), words, score)
                candidates[value].row = index
    if not candidates:
        return None
    return max(candidates.values(), key=lambda item: item.confidence)


# Hour and minute without a mark between them, right after the date.
TIME_AFTER = re.compile(r" ([01]\d|2[0-3]) ([0-5]\d)(?= |$)")


def time_of(found, chosen):
    """The time of day beside the date, or in the next rows."""
    row = found[chosen.row]
    end = max(start + len(word.text) for word, start in zip(row.words, row.starts) if word in chosen.words)
    match = TIME_AFTER.match(row.text, end)
    if match and any(re.search(r"\bTIME\b|\bZEIT\b", other.upper) for other in found):
        return Found(f"{match[1]}:{match[2]}", row.words_in(*match.span()), 0.5 + 0.45 * certainty(row.words_in(*match.span())))
    for row in found[chosen.row : chosen.row + 3]:
        for match in TIME.finditer(row.text):
            hour = int(match[1])
            if match[3]:
                if not 1 <= hour <= 12:
                    continue
                hour = hour % 12 + (12 if match[3].upper() == "P" else 0)
            words = row.words_in(match.start(), match.end())
            return Found(f"{hour:02}:{match[2]}", words, 0.5 + 0.45 * certainty(words))
    return None


# The total.

# The first pattern that a row matches counts. A row may have the amount itself, or in the next row.
TOTALS = [
    (None, r"SUB[- ]?T[O0]TAL|ZWISCHENSUMME|SOUS[- ]TOTAL|SUBTOTALE|TOTALE? PARZIALE|SUMA PARCIAL"),
    (None, r"TOTAL\s*(?:QTY|QUANTITY|ITEMS?|PCS|NO\b|SAVINGS?|DISC|GALLONS|LIT(?:RE|ER)S?|POINTS?|SAVED|WEIGHT)|(?:ITEMS?|QTY|NO\.? OF \w+)\s*TOTAL|NO\.? OF ITEMS"),
    (None, r"T[O0]TAL\s*(?:SR\b|ZRL?\b|GST|TAX|VAT|MWST|E?\s*(?:DI CUI )?I\.?V\.?A|TVA|H\.?T\b|BASE|USD\s*TAX|EXCL|\(EXCL|BEFORE|WITHOUT|EX\.)|(?:GST|TAX|VAT|MWST|UST) ?(?:AMOUNT|AMT|SUMMARY|TOTAL)|TAXABLE|EXCLUD|EXCL\.? ?(?:OF )?GST|\bNETTO\b|MONTANT HT|BASE IMPONIBLE|IMPONIBILE|DI CUI IVA|DONT TVA|IVA INCLUID[AO]\s*:?\s*\d"),
    (1.0, r"T[O0]TAL\s*(?:AFTER )?R[O0]UND|R[O0]UNDED\s*T[O0]TAL|R[O0]UND(?:ED)?\s*(?:AMT|AMOUNT)\s*$|AMOUNT\s*AFTER\s*R[O0]UND"),
    (0.95, r"GRAND\s*T[O0]TAL|NET\s*T\s*T[O0]TAL|NETT?\s*(?:T[O0]TAL|AMOUNT|AMT)|T[O0]TAL\s*(?:AMOUNT\s*)?(?:PAYABLE|DUE)|(?:AMOUNT|BALANCE|TOTAL)\s*(?:DUE|PAYABLE)|ZU ?ZAHLEN|GESAMTBETRAG|DO ZAPŁATY|\b(?:AMT|AMOUNT)?\s*DUE\b|(?:AMT|AMOUNT)\s*PAID|NET(?:T)? PAYABLE|[AÀ] PAYER|A PAGAR|DA PAGARE|TOTALE COMPLESSIVO|IMPORTE TOTAL|GESAMTSUMME|TO PAY|ENDSUMME|FINAL\s*TOTAL"),
    (0.9, r"T[O0]TAL TTC|VALOR TOTAL|IMPORTO|T[O0]TAL.*\bIN[CE]L|IN[CE]L.*\bT[O0]TAL|T[O0]TAL\s*(?:SALES?|AMOUNT|AMT|BILL|GROSS|RM|EUR|PLN|USD|MYR|CHF|GBP)|GESAMT|SUMME|RAZEM|SUMA|MONTANT\s*TTC|TOTALE|IMPORTE"),
    (0.85, r"\bT[O0]TAL\b|\bT[O0]TAL[:.]|^T[O0]TA[L1I]\b"),
    (0.5, r"^\W*(?:AMOUNT|BETRAG|MONTANT|BAYARAN)\b"),
]
# The score of labels of the final amount.
PAYABLE = 0.95
TOTALS = [(score, re.compile(pattern)) for score, pattern in TOTALS]
PAID = re.compile(r"\b(?:CASH|TUNAI|BAR\b|GEGEBEN|VISA|MASTER(?:CARD)?|CREDIT|DEBIT|AMEX|CARD|KARTE|EC[- ]?CASH|TENDER(?:ED)?|PAID|GOTÓWKA|KARTA|CONTANTI?|BANCOMAT|EFECTIVO|TARJETA|ESP[EÈ]CES|CB|CARTE|NUMER[AÁ]RIO|DINHEIRO|MULTIBANCO|PAGATO|RECEIVED|PAYMENT)\b")
CHANGE = re.compile(r"\bCHANGE\b|\bR[ÜU]CKGELD\b|\bZUR[ÜU]CK\b|\bRESZTA\b|\bBAKI\b|\bRESTO\b|\bCAMBIO\b|\bTROCO\b|\bRENDU\b|\bMONNAIE\b|\bCHG\b|\bCHANGE DUE\b")
ROUNDING = re.compile(r"R[O0]UND")
# Below such a row are sums for each rate of tax.
SUMMARY = re.compile(r"(?:GST|TAX|VAT|MWST|UST|SST)\s*(?:SUMMARY|ANALYSIS|DETAILS?|BREAKDOWN)|AMOUNT\s*\(RM\)|AMT\s*\(RM\)")
RATE = re.compile(r"(\d{1,2}(?:[.,]\d{1,2})?) ?%")


def is_tax(value, row, others):
    """Whether an amount is the tax that one of the other amounts contains, at a rate that its row names."""
    for match in RATE.finditer(row.text):
        rate = decimal(match[1])
        if rate and any(abs(other * rate / (100 + rate) - value) <= Decimal("0.02") for other in others if other > value):
            return True
    return False


def total(found):
    own = [amounts(row) for row in found]
    counts = {}
    for values in own:
        for value, _ in values:
            counts[value] = counts.get(value, 0) + 1
    candidates, paid, change, adjustments = {}, [], [], []
    in_summary = False
    for index, row in enumerate(found):
        in_summary = in_summary or bool(SUMMARY.search(row.upper))
        if CHANGE.search(row.upper):
            change += [value for value, _ in own[index][-1:]]
            continue
        kind = next(((score, pattern) for score, pattern in TOTALS if pattern.search(row.upper)), None)
        if ROUNDING.search(row.upper) and own[index] and not (kind and kind[0]):
            # The row has the difference or, in some programs, the rounded total.
            value, words = own[index][-1]
            if value > 0 and re.search(r"-\s*(?:RM|[A-Z]{3}|\$|€)?\s*[\d.]", row.upper):
                value = -value
            if abs(value) <= Decimal("0.05"):
                adjustments.append(value)
                continue
            kind = (1.0, ROUNDING)
        if kind is None:
            if PAID.search(row.upper) and own[index]:
                paid.append(own[index][-1])
            continue
        score, pattern = kind
        if score is None:
            continue
        match = pattern.search(row.upper)
        values = amounts(row, match.end()) or own[index]
        if not values and index + 1 < len(found) and not re.search(r"\d", row.text[match.end() :]):
            # The amount is below its label, in a row of its own.
            if len(re.sub(r"[^A-Z]", "", found[index + 1].upper)) <= 3:
                values, score = own[index + 1], score - 0.1
        if in_summary:
            score -= 0.4
        for value, words in values[-1:]:
            if value < 0 and score >= PAYABLE:
                # A credit: what is positive on this receipt is not its total.
                return None
            if value <= 0 or is_tax(value, row, counts):
                continue
            # A row further down is more likely the final one.
            rank = score + 0.001 * index
            if value not in candidates or candidates[value][0] < rank:
                candidates[value] = (rank, words)
    handed = [value for value, _ in paid]
    for value, words in paid:
        candidates.setdefault(value, (0.35, words))
    # What was given less the change is the total, if the receipt has this amount.
    differences = {given - back for given in handed for back in change if given > back}
    for values in own:
        for value, words in values:
            if value in differences:
                candidates.setdefault(value, (0.5, words))
    if not candidates:
        return None
    best = None
    for value, (rank, words) in candidates.items():
        evidence = 0.0
        if value in differences:
            evidence += 0.6 if value not in handed else 0.4
        elif value in handed:
            evidence += 0.25
        if counts[value] > 1:
            evidence += 0.1
        if any(step and value - step in counts for step in adjustments):
            # It is the sum after rounding.
            evidence += 0.3
        if best is None or rank + evidence > best[0]:
            best = (rank + evidence, rank, evidence, value, words)
    _, rank, evidence, value, words = best
    confidence = 0.35 * min(rank, 1) + 0.3 * certainty(words) + 0.2 + 0.6 * evidence
    higher = [other for other in counts if other > value and other not in handed]
    if higher and evidence < 0.25:
        # A total is not smaller than one of its parts.
        confidence -= 0.15
    if differences and value not in differences and len(handed) == 1:
        # At least one of the three amounts was read wrongly.
        confidence -= 0.35
    return Found(value.quantize(Decimal("0.01")), words, confidence)


# Tax.

TAX = re.compile(r"\b(?:I\.V\.A|GST|VAT|MWST|UST|TAX|TVA|IVA|PTU|HST|MOMS|SST)\b")


def tax(found, whole):
    """The tax that the total contains."""
    if whole is None:
        return None
    best = None
    for row in found:
        if not TAX.search(row.upper) or re.search(r"\b(?:ID|NO|REG|INVOICE|ACT|INCL|EXCL|TOTAL SALES)\b", row.upper):
            continue
        for value, words in amounts(row)[-1:]:
            # No tax is higher than 27 % of the price without it.
            if 0 < value <= whole.value * Decimal("0.2127"):
                item = Found(value, words, 0.3 + 0.4 * certainty(words))
                rate = re.search(r"(\d{1,2}(?:[.,]\d{1,2})?) ?%", row.text)
                if rate:
                    part = decimal(rate[1])
                    expected = whole.value * part / (100 + part)
                    if abs(expected - value) <= max(Decimal("0.03"), expected / 100):
                        item.confidence += 0.3
                if best is None or item.confidence > best.confidence:
                    best = item
    return best


# The merchant.

COMPANY = re.compile(
    r"\bSDN\b|\bBHD\b|\bS/B\b|\bENTERPRISE\b|\bTRADING\b|\bGMBH\b|\bAG\b|\bKG\b|\bLTD\b|\bLIMITED\b|\bINC\b|\bLLC\b|\bCORP\b|"
    r"\bCO\.|\bPLC\b|\bE\.U\.|\bO\.?H?G\b|SP\. ?Z|\bS\.A\.|\bSARL\b|\bSAS\b|\bS\.?R\.?L\b|\bS\.?P\.?A\b|\bS\.L\.|\bLDA\b|\bESTACI[OÓ]N\b|\bSTAZIONE\b|\bSTATION\b|\bPETRO\w*|\bRESTAURANT\b|\bRESTORAN\b|"
    r"\bMARKET\b|\bHARDWARE\b|\bMARKETING\b|\bSUPPLY\b|\bSTORE\b|\bSHOP\b|\bFUEL\b|\bTANKSTELLE\b"
)
STRONG = re.compile(r"\bSDN\b|\bBHD\b|\bBHO\b|\bS/B\b|\bGMBH\b|\bLTD\b|\bINC\b|\bLLC\b|SP\. ?Z")
NOT_A_NAME = re.compile(
    r"\b(?:TAX )?INVOICE\b|\bRECEIPT\b|\bWELCOME\b|\bTHANK|\bCASH (?:BILL|SALE|RECEIPT)|\bTEL\b|\bPHONE\b|\bFAX\b|\bGST\b|"
    r"\bREG\b|\bCO\.? ?(?:NO|REG)|\bCOMPANY (?:NO|REG)|\bDATE\b|\bNO\.? ?\d|\bLOT\b|\bJALAN\b|\bJLN\b|\bTAMAN\b|\bWWW\b|@|"
    r"\bRECHNUNG\b|\bBELEG\b|\bPARAGON\b|\bDOCUMENTO\b|\bFATTURA\b|\bSCONTRINO\b|\bFACTURA\b|\bFATURA\b|\bRECIBO\b|\bTICKET\b|\bVIA\b|\bCALLE\b|\bAVENIDA\b|\bRUE\b|\bRUA\b|STRASSE\b|STRAẞE\b|\bBIENVENU|\bBIENVENID|\bBEM[- ]VIND|\bP\.? ?IVA\b|\b(?:CIF|NIF|SIRET|UID)\b|\bTABLE\b|\bORDER\b|\bCOPY\b|\bDUPLICATE\b|\bORIGINAL\b|\bSITE\b|PRE-?AUTH|\bCUSTOMER\b"
)


def name(row):
    """The part of a row that may be a name: without numbers of companies in parentheses."""
    text = re.sub(r"[\[({<]\s*(?:CO\.?\s*)?(?:REG\.?\s*)?(?:NO\.?)?\s*:?\s*[\dA-Z]{0,4}\d{4,}[^)\]}>]*[)\]}>]?", "", row.text, flags=re.I)
    # Numbers of companies also follow without parentheses.
    text = re.sub(r"(?<=\w)[ ,]+\(?\d{5,}[- ]?[A-Z]\b.*$", "", text)
    text = re.sub(r"\b(?:SDN|SON|SIN|SDH|SDM|SOR|S0N|SUN|SBN)([.,]?) (?:BHD|BHO|BH0|BND|8HD|BKD|BHB)\b", r"SDN\1 BHD", text, flags=re.I)
    text = re.sub(r" [S5$]/[B8R]\b", " S/B", text)
    text = re.sub(r"^[^\w(]+|[^\w).!']+$", "", text)
    return re.sub(r"\s+", " ", text).strip()


# A name that is complete: a name of a company in the next row is another one.
COMPANY_ONLY = re.compile(r"\bSDN\b.*\bBHD\b|\bGMBH\b|\bLTD\b|\bLIMITED\b|\bINC\b|\bLLC\b|\bRESTAURANT$|FORMERLY|LICENSEE")
POSTCODE = re.compile(r"(?<![\d-])\d{4,5}(?![\d-])")


def looks_like_name(row):
    text = name(row)
    letters = sum(character.isalpha() for character in text)
    digits = sum(character.isdigit() for character in text)
    return letters >= 4 and letters > 2 * digits and not NOT_A_NAME.search(row.upper) and not POSTCODE.search(text)


def sureness(row):
    return sum(word.confidence for word in row.words) / len(row.words)


def merchant(found):
    top = found[:12]
    best = None
    for index, row in enumerate(top):
        text = name(row)
        if len(text) < 3 or not looks_like_name(row):
            continue
        score = 0.45 - 0.035 * index + 0.2 * sureness(row)
        if STRONG.search(row.upper):
            score += 0.3
        elif COMPANY.search(row.upper):
            score += 0.15
        if best is None or score > best[0]:
            best = (score, text, row, index)
    if best is None:
        return None
    score, text, row, index = best
    words, above, below = list(row.words), top[index - 1] if index > 0 else None, found[index + 1 : index + 2]
    confidence = score * 0.6 + 0.4 * sum(known(word) for word in words) / len(words)
    if above and STRONG.search(row.upper) and continues(above, row) and not GENERIC.sub("", row.upper).strip(" .,&"):
        # A long name continues in a second row, which only has words that many names have.
        text, words = f"{name(above)} {text}", above.words + words
    elif above and continues(above, row) and not STRONG.search(above.upper):
        # The row above is the name of a shop, or the beginning of this name.
        confidence -= AMBIGUOUS
    elif not STRONG.search(row.upper) and below and continues(row, below[0]):
        confidence -= AMBIGUOUS
    if any(REGISTERED.search(other.upper) for other in [row, *below]):
        # The number of a company follows its name.
        confidence += 0.1
    if not STRONG.search(row.upper) and any(looks_like_name(other) and sureness(other) > 0.8 for other in top[:index]):
        # Two names: one is perhaps a brand or a town.
        confidence -= AMBIGUOUS / 3
    # The whole name has to be right, not most of it.
    confidence -= 0.5 * (1 - min(known(word) for word in words))
    return Found(text, words, confidence)


# What the confidence loses if another row may belong to the name.
AMBIGUOUS = 0.3
REGISTERED = re.compile(r"\d{5,}[- ]?[A-Z0-9]\b|\b(?:CO|COMPANY|REG|ROC|UID|UST|ATU|VAT|P\.? ?IVA|CIF|NIF|SIRET|NIP|FN)\b.{0,12}\d{4,}")
# Words that many names have, and that alone are none.
GENERIC = re.compile(
    r"\b(?:SDN|BHD|S/B|RESTAURANTS?|RESTORAN|CAFE|TRADING|ENTERPRISE|MARKETING|HARDWARE|STATIONERY|SUPPL(?:Y|IES)|STORES?|SHOP|"
    r"HOLDINGS?|INDUSTRIES|SERVICES?|MARKET|GMBH|LTD|LIMITED|INC|LLC|CO|CORP|AND|KG|AG|HANDELS|VERTRIEBS|TANKSTELLEN?|GROUP|PLC|"
    r"\(?M\)?|MALAYSIA)(?=\W|$)"
)
# Parts of names for which a similar word was put, if tesseract or a network read them wrongly.
SUFFIX = re.compile(r"\(?M\)?|SDN\W*|BHD\W*|[S5$]/[B8]|(?:SON|SIN|SDH|SDM|SOR|S0N|SUN|SBN|BHO|BH0|BND|8HD|BKD|BHB)\W*", re.I)


def known(word):
    """How sure a word of a name is."""
    return 1.0 if SUFFIX.fullmatch(word.text) else word.confidence


def continues(upper, lower):
    """Whether two rows may be one name: close to each other, in the same size, and both like a name."""
    height, other = lower.bottom - lower.top, upper.bottom - upper.top
    is_close = lower.top - upper.bottom < 0.6 * height and 0.7 < height / max(other, 1) < 1.4
    return is_close and looks_like_name(upper) and looks_like_name(lower) and not COMPANY_ONLY.search(upper.upper)


# Fuel.

VOLUME_UNIT = r"(LIT(?:RE|ER|RES|ERS)?S?|LITR(?:OS?|I)|LTRS?|LTS?|L|GAL(?:LONS?|S)?|KWH|KG|G)"
VOLUME = re.compile(rf"(?<![\d.,])(\d{{1,4}}[.,] ?\d{{1,3}})\s*{VOLUME_UNIT}\b")
VOLUME_AFTER = re.compile(rf"\b{VOLUME_UNIT}\b\s*[:=]?\s*(\d{{1,4}}[.,]\d{{2,4}})(?![\d%])")
UNIT_PRICE = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,] ?| )\d{2,4})\s*(?:RM|EUR|€|USD|\$|ZL|ZŁ|PLN|CHF|GBP|£|P|P/L|PPL)?\s*/?\s*/\s*[L1]?(LIT(?:RE|ER)|LTR|L|GAL(?:LON)?|KWH|KG)\b")
PRICE_LABEL = re.compile(r"(?:PRICE|PREIS|CENA|PRIX|PREZZO|PRECIO|PREÇO)?\s*(?:RM|EUR|€|USD|\$|ZL|PLN|CHF)?\s*/\s*(LIT(?:RE|ER)|LTR|L|GAL(?:LON)?|KWH|G)\b\.?|U.?PRICE|UNIT PRICE|PREIS|PRIX UNIT\w*|PREZZO(?: UNIT\w*)?|PRECIO(?: UNIT\w*)?|PREÇO(?: UNIT\w*)?")
NUMBERS = re.compile(r"(?<![\d.,:/-])\d{1,4}[.,] ?\d{2,4}(?![\d%]|[.,/:-]\d)")
PRODUCTS = [
    ("diesel", "diesel", r"\bDIESEL\b(?! *&)|\bB7\b|\bGASOIL\b|\bGAZOLE\b|\bGASOLIO\b|\bGAS[OÓ]LEO\b|\bON EKODIESEL\b|\bEURO 5\b"),
    ("petrol", "E10", r"\b(?:SUPER )?E ?10\b"),
    ("petrol", "98", r"\b(?:RON|PB|SUPER|SUPER PLUS)? ?98\b"),
    ("petrol", "97", r"\bV-?POWER ?97\b|\bRON ?97\b"),
    ("petrol", "95", r"\b(?:RON|PB|EURO|FUEL ?SAVE|INF RON|SUPER|PRIMAX|SYNERGY)[ -]?95\b|\bSP95\b|\bSANS PLOMB 95\b|\bGASOLINA 95\b|\bSEM CHUMBO 95\b"),
    ("petrol", "premium", r"\bPREMIUM(?: UNLEADED)?\b|\bSUPREME\b"),
    ("petrol", "regular", r"\bREGULAR(?: UNLEADED)?\b|\bUNLEADED\b|\bBENZINA?\b|\bSENZA PIOMBO\b|\bSUPER\b"),
    ("lpg", "LPG", r"\bLPG\b|\bGPL\b|\bAUTOGAS\b"),
    ("cng", "CNG", r"\bCNG\b|\bERDGAS\b"),
    ("electric", "electric", r"\bKWH\b"),
    ("adBlue", "AdBlue", r"\bAD ?BLUE\b"),
]
PRODUCTS = [(energy, grade, re.compile(pattern)) for energy, grade, pattern in PRODUCTS]
# A row about the law on taxes of fuels, and offers, name products that were not bought.
NOT_A_PRODUCT = re.compile(r"RELIEF|SECTION|\bACT\b|POINTS|SAVE UP|OFFER|\bDIESEL ?& ?PETROL")
# "BHP Mart sells cooking oil by the litre": without a pump or a fuel, a litre is goods.
FUEL = re.compile(r"\bPUMP\b|\bPUNP\b|\bFUEL ?SAVE\b|V-?POWER|\bRON ?9[578]\b|\bUNLEADED\b|\bDIESEL\b|\bPRICE ?/ ?G|/ ?GAL\b|\bGALLONS\b|\bPB ?9[58]\b|\bSUPER\b|\bBENZIN\b|ZAPFS|S[ÄA]ULE|TANKST|\bKWH\b|\bAD ?BLUE\b|\bLPG\b|\bREGULAR\b|\bE ?10\b|CHARG|GASOIL|GAZOLE|GASOLI[ON]|GAS[OÓ]LEO|\bBENZINA\b|SANS PLOMB|\bSP9[58]\b|POMPE?\b|\bSURTIDOR\b|\bBOMBA\b|\bGPL\b")


def unit_name(text):
    text = text.upper()
    if text.startswith("G"):
        return "gal"
    if text.startswith("KW"):
        return "kWh"
    return "kg" if text.startswith("KG") else "L"


def product(found):
    for row in found:
        if NOT_A_PRODUCT.search(row.upper):
            continue
        for energy, grade, pattern in PRODUCTS:
            match = pattern.search(row.upper)
            if match and not re.search(r"CAR ?WASH", row.upper):
                words = row.words_in(match.start(), match.end())
                return energy, grade, Found(grade, words, 0.5 + 0.4 * certainty(words))
    return None


def plain(text):
    """The number that a text shows. A decimal mark that was not read leaves a space."""
    text = text.replace(",", ".")
    return Decimal(text.replace(" ", "") if "." in text else text.replace(" ", "."))


def near(product_, amount):
    return abs(product_ - amount) <= max(Decimal("0.02"), amount / 1000)


def fuel(found, code):
    """Quantity, price of a unit, and amount of a fill: only if they agree, or if their labels leave no doubt."""
    text = "\n".join(row.upper for row in found)
    volumes, prices, money = [], [], {}
    ninths = {}
    for index, row in enumerate(found):
        upper = re.sub(r"(\d)\s?9/10\b", r"\g<1>9", row.upper)
        for value, words in amounts(row):
            money.setdefault(value, []).append((index, words))
        for match in VOLUME.finditer(row.upper):
            volumes.append((plain(match[1]), unit_name(match[2]), index, row.words_in(*match.span(1)), 2))
        for match in VOLUME_AFTER.finditer(row.upper):
            volumes.append((plain(match[2]), unit_name(match[1]), index, row.words_in(*match.span(2)), 2))
        for match in UNIT_PRICE.finditer(upper):
            prices.append((plain(match[1]), unit_name(match[2]), index, row.words, 2))
        label = PRICE_LABEL.search(upper)
        if label:
            unit = unit_name(label[1]) if label[1] else None
            same = list(NUMBERS.finditer(upper[label.end() :]))
            if same:
                prices.append((plain(same[0][0]), unit, index, row.words, 2))
            elif index + 1 < len(found):
                below = re.sub(r"(\d)\s?9/10\b", r"\g<1>9", found[index + 1].upper)
                for match in list(NUMBERS.finditer(below))[:1]:
                    prices.append((plain(match[0]), unit, index + 1, found[index + 1].words, 2))
        if re.search(r"^\W*(?:GALLONS?|LIT(?:RE|ER)S?|VOLUME|QTY|QNTY|MENGE)\W*$", row.upper) and index + 1 < len(found):
            for match in list(NUMBERS.finditer(found[index + 1].upper))[:1]:
                unit = "gal" if "GAL" in row.upper else "L"
                volumes.append((plain(match[0]), unit, index + 1, found[index + 1].words_in(*match.span()), 2))
    if not FUEL.search(text):
        return pump_display(found)
    # Numbers without a unit may be the price or the quantity, if everything agrees.
    bare = []
    for index, row in enumerate(found):
        for match in NUMBERS.finditer(row.upper):
            bare.append((plain(match[0]), None, index, row.words_in(*match.span()), 0))
    best = None

    def consider(volume, price, is_sure):
        nonlocal best
        if volume[0] <= 0 or price[0] <= 0 or volume[1] and price[1] and volume[1] != price[1]:
            return
        if volume[3] == price[3] and volume[0] == price[0]:
            return
        exact = (volume[0] * price[0]).quantize(Decimal("0.01"), ROUND_HALF_UP)
        agreeing = [(abs(value - exact), value, places) for value, places in money.items() if near(exact, value) and value > 0]
        score = volume[4] + price[4] + (3 if agreeing else 0) - abs(volume[2] - price[2]) * 0.05
        if not agreeing and not is_sure:
            return
        if best is None or score > best[0]:
            best = (score, volume, price, min(agreeing, key=lambda item: item[0]) if agreeing else None)

    for volume in volumes:
        for price in prices:
            consider(volume, price, True)
        for price in bare:
            if Decimal("0.2") <= price[0] <= 20 and abs(price[2] - volume[2]) <= 4:
                consider(volume, price, False)
    if best is None:
        for price in prices:
            for volume in bare:
                if abs(price[2] - volume[2]) <= 4 and volume[0] > 1 and (price[0] != volume[0]):
                    consider(volume, price, False)
    if best is None:
        sure = [volume for volume in volumes if volume[0] > 0 and volume[1] in ("gal", "kWh") or volume[0] > 3 and volume[1] == "L"]
        if len(sure) == 1 and re.search(r"PUMP|GALLONS", text):
            volume = sure[0]
            return {"quantity": Found(volume[0], volume[3], 0.4 + 0.4 * certainty(volume[3])), "unit": volume[1]}
        return None
    _, volume, price, agreeing = best
    unit = volume[1] or price[1] or "L"
    sureness = 0.9 if agreeing else 0.4
    answer = {
        "quantity": Found(volume[0], volume[3], sureness + (0.09 if agreeing else 0.25 * certainty(volume[3]))),
        "unit": unit,
        "price": Found(price[0], price[3], sureness + (0.09 if agreeing else 0.25 * certainty(price[3]))),
    }
    if agreeing:
        answer["amount"] = Found(agreeing[1], agreeing[2][0][1], 0.95)
    return answer


def pump_display(found):
    """The three numbers of a pump's display, which has no words: the amount is quantity × price."""
    numbers = []
    for row in found:
        if re.search(r"[A-Z]{3}", row.upper):
            return None
        numbers += [(plain(match[0]), row.words_in(*match.span())) for match in NUMBERS.finditer(row.upper)]
    if len(numbers) != 3:
        return None
    for amount, quantity, price in [(0, 1, 2), (1, 0, 2), (0, 2, 1)]:
        exact = numbers[quantity][0] * numbers[price][0]
        if -numbers[price][0].as_tuple().exponent == 3 and numbers[amount][0] > 0 and near(exact, numbers[amount][0]):
            return {
                "quantity": Found(numbers[quantity][0], numbers[quantity][1], 0.8),
                "unit": "L",
                "price": Found(numbers[price][0], numbers[price][1], 0.8),
                "amount": Found(numbers[amount][0], numbers[amount][1], 0.8),
            }
    return None


ODOMETER = re.compile(r"\b(?:ODO(?:METER)?|KM[- ]?STAND|MILEAGE|PRZEBIEG|KILOM\w*)\b\W*(\d{1,3}(?:[ .,]\d{3})+|\d{2,7})(?: ?(KM|MI(?:LES)?))?\b")
# A slip that is not the bill.
PRELIMINARY = re.compile(r"NOT THE FINAL|NOT A RECEIPT|PRE-?AUTHORI[SZ]ATION|PREPAY CHIT")


# Currencies of countries whose receipts have no accents: a dot of dirt looks like one.
ENGLISH = ("MYR", "GBP", "USD", "AUD", "SGD", "INR")


def unaccented(word):
    text = "".join(part for part in unicodedata.normalize("NFD", word.text) if not unicodedata.combining(part))
    return word if text == word.text else word.with_text(text, word.confidence)


def understand(words):
    """The values that some words show, also those that are not sure, and what else they show."""
    found = rows([repaired(word) for word in words if word.text.strip()])
    reported, more = {}, {"preliminary": any(PRELIMINARY.search(row.upper) for row in found)}
    if not found:
        return reported, more
    money = currency(found)
    code = money.value if money else None
    if code in ENGLISH:
        found = [Row([unaccented(word) for word in row.words]) for row in found]
    reported = {"merchant": merchant(found), "currency": money, "date": date(found, code), "total": total(found)}
    reported["tax"] = tax(found, reported["total"])
    if reported["date"]:
        reported["time"] = time_of(found, reported["date"])
    fill = None if any("NOT A RECEIPT" in row.upper for row in found) else fuel(found, code)
    if fill:
        reported["quantity"], reported["price"] = fill["quantity"], fill.get("price")
        reported["fuelAmount"] = amount = fill.get("amount")
        more["unit"] = fill["unit"]
        bought = product(found)
        if bought:
            more["energy"], _, reported["product"] = bought
        elif fill["unit"] == "kWh":
            more["energy"] = "electric"
        if amount and reported["total"] and amount.value == reported["total"].value:
            # Quantity × price confirms the total.
            reported["total"].confidence = max(reported["total"].confidence, 0.95)
    for row in found:
        match = ODOMETER.search(row.upper)
        if match:
            part = row.words_in(*match.span(1))
            reported["odometer"] = Found(int(re.sub(r"\D", "", match[1])), part, 0.4 + 0.5 * certainty(part))
            if match[2] and match[2].startswith("M"):
                more["odometerUnit"] = "mi"
    return {key: item for key, item in reported.items() if item is not None}, more


def same(key, first, second):
    if key == "merchant":
        return re.sub(r"\W", "", first.value).upper() == re.sub(r"\W", "", second.value).upper()
    return first.value == second.value


def combine(first, second):
    """What two readings of the same image agree on is more certain; what only one of them has is less."""
    (one, more), (two, also) = first, second
    combined = {}
    for key in one.keys() | two.keys():
        items = [reported[key] for reported in (one, two) if key in reported]
        items.sort(key=lambda item: -item.confidence)
        best = items[0]
        if len(items) == 1:
            best.confidence *= ALONE
        elif same(key, *items):
            best.confidence = 1 - (1 - best.confidence) * (1 - items[1].confidence)
        else:
            best.confidence = best.confidence * CONTRADICTED - 0.2 * max(items[1].confidence - 0.5, 0)
        combined[key] = best
    if "quantity" in combined:
        # Quantity, price and amount belong together: those of the reading in which they agree best.
        better = max((one, two), key=lambda reported: reported["quantity"].confidence if "quantity" in reported else 0)
        more = dict(also if better is two else more, preliminary=more["preliminary"] or also["preliminary"])
        for key in ("price", "fuelAmount"):
            combined.pop(key, None)
            if key in better:
                combined[key] = better[key]
    return combined, more


# The part of the confidence that is left if only one reading has a value, or if both have different values.
ALONE, CONTRADICTED = 0.85, 0.7


def report(reading, size, least):
    """The answer: the values that are certain enough. `least` has the lowest confidences, if they are not LEAST.

    `size` is the width and height of the image in the units of the boxes."""
    reported, more = reading
    answer = {"preliminary": more["preliminary"]}
    for key, item in reported.items():
        if item.confidence >= least.get(key, LEAST):
            answer[key] = item.json(size)
    if "quantity" in answer:
        answer.update({key: more[key] for key in ("unit", "energy") if key in more})
    elif "price" in answer or "fuelAmount" in answer:
        answer.pop("price", None), answer.pop("fuelAmount", None)
    if "odometer" in answer and "odometerUnit" in more:
        answer["odometerUnit"] = more["odometerUnit"]
    return answer


def fields(words, size):
    """What a receipt says, from one reading."""
    return report(understand(words), size, {})


def recognize(image, layout, width):
    """The words of an upright RGB image, with boxes in its pixels.

    `layout` is tesseract's page segmentation mode; the image is scaled to `width` pixels, at which the letters of a
    receipt have the height of some 30 pixels that tesseract wants."""
    from PIL import Image, ImageOps

    grey = image.convert("L")
    factor = min(width / grey.width, 6000 / grey.height)
    if factor > 1 or factor < 0.7:
        grey = grey.resize((round(grey.width * factor), round(grey.height * factor)), Image.LANCZOS)
    else:
        factor = 1
    margin = 20
    grey = ImageOps.expand(grey, margin, 255)
    file = io.BytesIO()
    grey.save(file, "PNG", compress_level=1)
    result = subprocess.run(
        # Method 2 is Sauvola's, which copes with shadows.
        ["tesseract", "-", "-", "--psm", str(layout), "-l", "eng", "-c", "thresholding_method=2", "tsv"],
        input=file.getvalue(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=True,
    )
    return [
        Word(
            word.text, (word.left - margin) / factor, (word.top - margin) / factor, word.width / factor,
            word.height / factor, word.confidence,
        )
        for word in parse(result.stdout.decode(errors="replace"))
    ]


def parse(tsv):
    """The words of tesseract's table."""
    words = []
    for line in tsv.splitlines()[1:]:
        parts = line.split("\t")
        if len(parts) == 12 and parts[0] == "5" and parts[11].strip():
            left, top, width, height = (int(part) for part in parts[6:10])
            words.append(Word(parts[11].strip(), left, top, width, height, max(float(parts[10]), 0) / 100))
    return words


class Page:
    """The lines of an upright RGB image that the networks of a folder find. Coordinates of words are those of a page without
    slope."""

    def __init__(self, image, path):
        self.image, self.networks = image, recognizer.Recognizer(path)
        self.lines = self.networks.find(image)[: recognizer.MOST_LINES]
        # The angle of the lines, radians.
        self.slope = recognizer.median([line.angle for line in self.lines if line.length > recognizer.LONG * line.height])

    def words(self, line, narrower=recognizer.NARROWER):
        """The words of a line. Its picture is made narrower by a factor."""
        along, beside = math.cos(self.slope), math.sin(self.slope)
        # Letters fill about this part of the height of a line.
        height = 0.7 * line.height
        left = line.x * along + line.y * beside - line.length / 2
        top = line.y * along - line.x * beside - height / 2
        for word in recognizer.words(self.networks.read(self.image, line, narrower)):
            start, end = word[0].start * line.length, word[-1].end * line.length
            text = "".join(character.text for character in word)
            sureness = min(character.probability for character in word)
            yield Word(text, left + start, top, end - start, height, sureness, line)

    def read(self):
        """What the page says. The lines that say it are read twice, in different sizes."""
        words = [word for line in self.lines for word in self.words(line)]
        first, more = understand(words)
        again = {id(word.line): word.line for item in first.values() for word in item.words}
        others = [word for word in words if id(word.line) not in again]
        others += [word for line in again.values() for word in self.words(line, SECOND_SIZE)]
        second, also = understand(others)
        for key, item in first.items():
            if key not in second:
                item.confidence *= ALONE
            elif not same(key, item, second[key]):
                item.confidence *= CONTRADICTED
            else:
                item.confidence = min(item.confidence, second[key].confidence) + CONFIRMED
        more["preliminary"] = more["preliminary"] or also["preliminary"]
        return first, more

    def placed(self, answer):
        """The answer with boxes in the image instead of in the page."""
        along, beside = math.cos(self.slope), math.sin(self.slope)
        width, height = self.image.size
        for item in answer.values():
            if isinstance(item, dict):
                left, top, right, bottom = item["box"]
                corners = [(x, y) for x in (left, right) for y in (top, bottom)]
                xs = [min(max((x * along - y * beside) / width, 0.0), 1.0) for x, y in corners]
                ys = [min(max((x * beside + y * along) / height, 0.0), 1.0) for x, y in corners]
                box = [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
                item["box"] = [round(part, 4) for part in box]
        return answer


# How much narrower the picture of a line is when it is read again, and how much a second reading changes the confidence.
SECOND_SIZE, CONFIRMED = 1.05, 0.05


def read(image):
    """What the image of a receipt says."""
    path = recognizer.folder()
    if path:
        page = Page(image, path)
        return page.placed(report(page.read(), None, LEAST_OF_LINES))
    # Two readings of tesseract in different sizes and layouts.
    readings = [understand(recognize(image, layout, width)) for layout, width in ((6, 1000), (4, 1300))]
    return report(combine(*readings), image.size, LEAST_OF_TWO)
