"""The currency that a receipt shows."""

import re

from text_rows import Found

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
