"""Reads what a receipt says: merchant, date, total, tax, and what was filled into a tank or a battery.

The networks of recognizer.py recognize the words; if they are not installed, tesseract does. Everything after that is a function
of these words, so that it can be tested without images. It runs in the sandbox, too, because texts of strangers are searched
with regular expressions.

A value is only reported if the receipt says it and its confidence is high enough. A value that cannot be read is absent:
a person then enters it. Nothing is taken from other receipts.
"""

import re
import unicodedata

import recognizer
import tesseract
from amounts import repaired
from currencies import currency
from dates import date, time_of
from fuels import fuel, odometer, product
from merchants import merchant
from pages import SECOND_SIZE, Page
from readings import combine, confirm
from text_rows import Row, rows
from totals import tax, total

# Values with a lower confidence are left out: of one reading, and of two readings that were combined. The latter limits are
# those at which few wrong values of ../shared/data/receipts remain (scripts/receipts.py).
LEAST = 0.5
LEAST_OF_TWO = {"merchant": 0.93, "date": 0.955, "total": 0.88, "currency": 0.7, "quantity": 0.85, "tax": 0.7}
# The same for readings of the networks.
LEAST_OF_LINES = {"merchant": 0.82, "date": 0.65, "total": 0.68, "currency": 0.7, "quantity": 0.8, "tax": 0.7}
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
    fill = None if any("NOT A RECEIPT" in row.upper for row in found) else fuel(found)
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
    driven, its_unit = odometer(found)
    if driven:
        reported["odometer"] = driven
        if its_unit:
            more["odometerUnit"] = its_unit
    return {key: item for key, item in reported.items() if item is not None}, more


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


def read_lines(page):
    """What a page says. The lines that say it are read twice, in different sizes."""
    words = [word for line in page.lines for word in page.words(line)]
    first = understand(words)
    again = {id(word.line): word.line for item in first[0].values() for word in item.words}
    others = [word for word in words if id(word.line) not in again]
    others += [word for line in again.values() for word in page.words(line, SECOND_SIZE)]
    return confirm(first, understand(others))


def read(image):
    """What the image of a receipt says, which program has read its text, and why the networks have not; `None` if no such
    program is installed."""
    try:
        page = Page(image, recognizer.load())
    except recognizer.Missing as error:
        if not tesseract.is_installed():
            return None
        return read_with_tesseract(image) | {"recognizer": "tesseract", "reason": str(error)}
    return page.placed(report(read_lines(page), None, LEAST_OF_LINES)) | {"recognizer": "networks"}


def read_with_tesseract(image):
    # Two readings of tesseract in different sizes and layouts.
    readings = [understand(tesseract.words(image, layout, width)) for layout, width in ((6, 1000), (4, 1300))]
    return report(combine(*readings), image.size, LEAST_OF_TWO)
