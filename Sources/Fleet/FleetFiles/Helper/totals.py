"""The total that a receipt shows, and the tax that it contains."""

import re
from decimal import Decimal

from amounts import amounts, decimal
from text_rows import Found, certainty

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
