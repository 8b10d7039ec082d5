"""The date and the time of day that a receipt shows."""

import datetime
import re

from text_rows import Found, certainty

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
