"""Reads the VIN on a photo of its plate or barcode, and the odometer on a photo of the instruments.

A value is only reported if it is certain enough: two readings of its line agree and, for a VIN, its check digit where it has one.
"""

import re

import pages
import recognizer
import text_rows

# The weights of the check digit of ISO 3779, and the values of letters.
WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
VALUES = {letter: value for values in ("ABCDEFGH", "JKLMN", "STUVWXYZ") for value, letter in enumerate(values, 1)}
VALUES |= {"P": 7, "R": 9, "S": 2, "T": 3, "U": 4, "V": 5, "W": 6, "X": 7, "Y": 8, "Z": 9}
VIN = re.compile(r"(?<![A-Z0-9])[A-HJ-NPR-Z0-9]{13}[0-9]{4}(?![A-Z0-9])")
# The confidence of a VIN from a barcode, and the highest one of text with and without a check digit. A text without a check
# digit is a proposal that the answer marks.
BARCODE, CHECKED, UNCHECKED = 0.99, 0.97, 0.7
# A character of a VIN with a lower probability is not certain.
LEAST = 0.6
# Sides of the image in which barcodes are searched, pixels.
BARCODE_SIDES = (1_600, 2_600)


def check_digit_holds(vin):
    total = sum(weight * (int(letter) if letter.isdigit() else VALUES[letter]) for letter, weight in zip(vin, WEIGHTS))
    return vin[8] == "0123456789X"[total % 11]


def must_have_check_digit(vin):
    """Whether the law of the maker's country requires one: North America and China."""
    return vin[0] in "12345L"


def vins_in(text):
    """The VINs in a text without spaces. The letters I, O and Q are never in a VIN: they are digits that look like them."""
    plain = re.sub(r"[*\s\-.]", "", text.upper())
    plain = re.sub(r"^(?:VIN|FIN|FAHRGESTELLN\w*|CHASSIS\w*|FG\w?ST\w*)\W*", "", plain)
    if re.fullmatch(r"[A-Z0-9]{17}", plain):
        plain = plain.translate(str.maketrans("IOQ", "100"))
    # Makers of cars from North America put an I before the VIN of a barcode.
    if re.fullmatch(r"I[A-Z0-9]{17}", plain):
        plain = plain[1:]
    return [match[0] for match in VIN.finditer(plain) if re.search(r"[A-Z]", match[0]) and re.search(r"\d", match[0])]


# Barcodes.


def barcodes(image):
    """Texts of barcodes (Code 39, Code 128, QR, Data Matrix) with boxes: left, top, right, bottom in pixels of the image."""
    for side in BARCODE_SIDES:
        grey = image.convert("L")
        grey.thumbnail((side, side))
        factor = image.width / grey.width
        found = [(text, [part * factor for part in box]) for text, box in [*linear_codes(grey), *matrix_codes(grey)]]
        if found or max(image.size) <= side:
            return found
    return []


def linear_codes(grey):
    try:
        import zbar
    except ImportError:
        return []
    from PIL import ImageFilter

    scanner = zbar.ImageScanner()
    # The decoders of other codes have errors, and a VIN is in none of them.
    scanner.parse_config("disable")
    for kind in ("code39", "code128", "qrcode"):
        scanner.parse_config(f"{kind}.enable")
    found = []
    # Noise prevents decoding, and the filter removes it. It also removes the thinnest bars of small codes.
    for smooth in (grey.filter(ImageFilter.MedianFilter(3)), grey):
        for turned, angle in ((smooth, 0), (smooth.rotate(90, expand=True), 90)):
            picture = zbar.Image(*turned.size, "Y800", turned.tobytes())
            scanner.scan(picture)
            for symbol in picture:
                xs, ys = zip(*symbol.location)
                if angle:
                    xs, ys = [grey.width - y for y in ys], xs
                found.append((symbol.data, [min(xs), min(ys), max(xs), max(ys)]))
        if found:
            return found
    return found


def matrix_codes(grey):
    try:
        from pylibdmtx import pylibdmtx
    except ImportError:
        return
    for code in pylibdmtx.decode(grey, timeout=1_500, max_count=2, shrink=2 if max(grey.size) > 1_000 else 1):
        left, top, width, height = code.rect
        # Its coordinates begin at the lower left corner.
        box = [left, grey.height - top - height, left + width, grey.height - top]
        yield code.data.decode(errors="replace"), [min(box[0::2]), min(box[1::2]), max(box[0::2]), max(box[1::2])]


# The VIN.


def vin(image):
    found = {}
    for text, box in barcodes(image):
        for value in vins_in(text):
            if check_digit_holds(value) or not must_have_check_digit(value):
                found[value] = box
    if len(found) == 1:
        (value, box), = found.items()
        width, height = image.size
        box = [box[0] / width, box[1] / height, (box[2] - box[0]) / width, (box[3] - box[1]) / height]
        item = {"value": value, "confidence": BARCODE, "box": [round(min(max(part, 0.0), 1.0), 4) for part in box]}
        return {"vin": item, "source": "barcode", "checkDigit": check_digit_holds(value)}
    if found:
        # Two vehicles are on the photo.
        return {}
    try:
        networks = recognizer.load()
    except recognizer.Missing as error:
        return {"recognizer": "none", "reason": str(error)}
    return text_vin(pages.Page(image, networks))


def text_vin(page):
    candidates, others = {}, set()
    for line in page.lines:
        words = list(page.words(line))
        for value in vins_in("".join(word.text for word in words)):
            again = vins_in("".join(word.text for word in page.words(line, pages.SECOND_SIZE)))
            certainty = text_rows.certainty(words)
            if value not in again or certainty < LEAST:
                continue
            holds = check_digit_holds(value)
            if holds:
                candidates[value] = text_rows.Found(value, words, CHECKED * (0.9 + 0.1 * certainty))
            elif not must_have_check_digit(value):
                candidates[value] = text_rows.Found(value, words, UNCHECKED * certainty)
            else:
                others.add(value)
    checked = [value for value in candidates if check_digit_holds(value)]
    chosen = checked or list(candidates)
    # A second text with the form of a VIN may be that of another vehicle, or the true one.
    if len(chosen) != 1 or others:
        return {}
    found = candidates[chosen[0]]
    answer = page.placed({"vin": found.json(None)})
    return {**answer, "source": "text", "checkDigit": bool(checked)}


# The odometer.

# A whole number with 3 to 7 digits, perhaps in groups. A number beside another number may be a part of a longer one.
READING = re.compile(r"(?<![\d.,:/])(?<!\d )(\d{1,3}(?:[ .,]\d{3}){1,2}|\d{3,7})(?![\d:/%°]|[., ]\d)")
KILOMETRES, MILES = re.compile(r"\bKM\b(?! ?/ ?H)|(?<=\d)KM\b(?! ?/ ?H)", re.I), re.compile(r"\bMI(?:LES?)?\b|(?<=\d)MI(?:LES)?\b", re.I)
LABEL = re.compile(r"\bODO(?:METER)?\b|\bTOTAL\b|\bMILEAGE\b|\bKM[- ]?STAND\b|\bGESAMT", re.I)
# Other numbers of instruments: trips, speeds, revolutions, ranges, temperatures, times.
OTHER = re.compile(r"TRIP|RANGE|REICHWEITE|KM ?/ ?H|MPH|RPM|U/MIN|L ?/ ?100|°|\bAVG\b|X ?1000|\bTO GO\b|NEXT|SERVICE", re.I)
# How much narrower the digits are in the second reading. Those of instruments are wide.
SECOND_SIZE = 0.7
# The least confidence of an odometer, and how much surer it must be than another number.
LEAST_ODOMETER, AHEAD = 0.6, 0.2


def odometer(image):
    try:
        networks = recognizer.load()
    except recognizer.Missing as error:
        return {"recognizer": "none", "reason": str(error)}
    page = pages.Page(image, networks)
    # Numbers that are beside each other may be of different instruments, but a unit or a label is often a line of its own.
    lines = [text_rows.Row(words) for words in (list(page.words(line)) for line in page.lines) if words]
    rows = text_rows.rows([word for line in lines for word in line.words])
    candidates = []
    for line in lines:
        index = next(number for number, row in enumerate(rows) if line.words[0] in row.words)
        for match in READING.finditer(line.text) if not OTHER.search(line.text) else ():
            words = line.words_in(*match.span(1))
            number, digits = int(re.sub(r"\D", "", match[1])), len(re.sub(r"\D", "", match[1]))
            after = line.text[match.end() :] + " " + " ".join(
                word.text for word in rows[index].words if word.left >= words[-1].left + words[-1].width
            )
            unit = "km" if KILOMETRES.search(after) else "mi" if MILES.search(after) else None
            near = [other for other in rows[max(index - 1, 0) : index + 2] if not OTHER.search(other.text)]
            score = 0.35 + 0.35 * text_rows.certainty(words)
            score += 0.2 if unit else 0.0
            score += 0.2 if any(LABEL.search(other.text) for other in near) else 0.0
            score += 0.1 if digits >= 5 else -0.2 if digits < 4 else 0.0
            if number % 10 == 0 and digits < 4 or number % 1_000 == 0 and number < 10_000:
                # A mark of the speed or of the revolutions.
                score -= 0.3
            candidates.append((score, number, unit, line, words))
    candidates.sort(key=lambda item: -item[0])
    if not candidates or candidates[0][0] < LEAST_ODOMETER:
        return {}
    score, number, unit, line, words = candidates[0]
    if any(other[1] != number and other[0] > score - AHEAD for other in candidates[1:]):
        return {}
    again = " ".join(word.text for word in page.words(line.words[0].line, SECOND_SIZE))
    if number not in [int(re.sub(r"\D", "", match[1])) for match in READING.finditer(again)]:
        return {}
    answer = page.placed({"odometer": text_rows.Found(number, words, min(score, 0.97)).json(None)})
    return answer | ({"unit": unit} if unit else {})
