"""The merchant that a receipt names."""

import re

from text_rows import Found

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
    # This abbreviation ends a name; only a place in parentheses may follow. Other words are stamps and dirt.
    text = re.sub(r"(\bSDN\W{1,2}BHD\b\.?) +[^ (].*$", r"\1", text, flags=re.I)
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
    first, last = block(top, index)
    rows, below = [row], found[index + 1 : index + 2]
    is_numbered = last + 1 < len(found) and NUMBER_OF_COMPANY.fullmatch(found[last + 1].upper)
    is_ambiguous = False
    if first < last and is_numbered and not any(STRONG.search(other.upper) for other in top[first : last + 1]):
        # The number of a business follows all rows of its name.
        rows = top[first : last + 1]
    elif first < index and STRONG.search(row.upper) and not GENERIC.sub("", row.upper).strip(" .,&"):
        # A long name continues in a second row, which only has words that many names have.
        rows = [top[index - 1], row]
    else:
        # The row above is the name of a shop, or the beginning of this name.
        is_above = first < index and not STRONG.search(top[index - 1].upper)
        is_ambiguous = is_above or index < last and not STRONG.search(row.upper)
    if rows[-1] is row and below and PLACE.fullmatch(below[0].upper) and is_close(row, below[0]):
        rows = [*rows, below[0]]
    text = " ".join(name(other) for other in rows)
    words = [word for other in rows for word in named(other)]
    confidence = score * 0.6 + 0.4 * sum(known(word) for word in words) / len(words)
    if is_ambiguous:
        confidence -= AMBIGUOUS
    if any(REGISTERED.search(other.upper) for other in [row, *below]) or is_numbered:
        # The number of a company follows its name.
        confidence += 0.1
    if not is_numbered and not STRONG.search(row.upper) and any(looks_like_name(other) and sureness(other) > 0.8 for other in top[: min(first, index)]):
        # Two names: one is perhaps a brand or a town.
        confidence -= AMBIGUOUS / 3
    # The whole name has to be right, not most of it.
    confidence -= 0.5 * (1 - min(known(word) for word in words))
    return Found(text, words, confidence)


def block(found, index):
    """The first and the last of the rows that may be one name with a row."""
    first = last = index
    while last + 1 < len(found) and continues(found[last], found[last + 1]):
        last += 1
    # The rows of a name are as far from each other as the last of them is from the row below.
    space = found[last + 1].top - found[last].bottom if last + 1 < len(found) else 0
    while first > 0 and continues(found[first - 1], found[first], space):
        first -= 1
    return first, last


def named(row):
    """The words of a row that belong to its name."""
    text = re.sub(r"\W", "", name(row)).upper()
    words = [word for word in row.words if re.sub(r"\W", "", word.text).upper() in text]
    return words or row.words


# What the confidence loses if another row may belong to the name.
AMBIGUOUS = 0.3
REGISTERED = re.compile(r"\d{5,}[- ]?[A-Z0-9]\b|\b(?:CO|COMPANY|REG|ROC|UID|UST|ATU|VAT|P\.? ?IVA|CIF|NIF|SIRET|NIP|FN)\b.{0,12}\d{4,}")
# A row that only has the number of a company. Some digits may have been read as letters.
NUMBER_OF_COMPANY = re.compile(r"\W*(?:(?:CO|COMPANY|REG|ROC|SSM|BRN|NO)\W+)*[\dOQIL]{5,}(?:\W{0,2}[A-Z\d])?\W*")
# A place in parentheses below a name belongs to it.
PLACE = re.compile(r"\((?!FORMERLY|KNOWN|A MEMBER|LICEN|CO\b|REG|GST|TAX|NO\b)[A-Z][A-Z .'&-]{3,}\)")
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
    return 1.0 if SUFFIX.fullmatch(word.text) else word.letters


def is_close(upper, lower, space=0):
    """Whether two rows have the same size, and whether the space between them is small, or not larger than `space`."""
    height, other = lower.bottom - lower.top, upper.bottom - upper.top
    return lower.top - upper.bottom < max(0.6 * height, 1.2 * space) and 0.7 < height / max(other, 1) < 1.4


def continues(upper, lower, space=0):
    """Whether two rows may be one name: close to each other, and both like a name."""
    return is_close(upper, lower, space) and looks_like_name(upper) and looks_like_name(lower) and not COMPANY_ONLY.search(upper.upper)
