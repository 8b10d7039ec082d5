"""What was filled into a tank or a battery, and the odometer beside it."""

import re
from decimal import ROUND_HALF_UP, Decimal

from amounts import amounts
from text_rows import Found, certainty

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


def fuel(found):
    """Quantity, price of a unit, and amount of a fill: only if they agree, or if their labels leave no doubt."""
    text = "\n".join(row.upper for row in found)
    volumes, prices, money = [], [], {}
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


def odometer(found):
    """The odometer that a receipt names last, and its unit, if it is not kilometres."""
    reading = None, None
    for row in found:
        match = ODOMETER.search(row.upper)
        if match:
            part = row.words_in(*match.span(1))
            value = Found(int(re.sub(r"\D", "", match[1])), part, 0.4 + 0.5 * certainty(part))
            reading = value, "mi" if match[2] and match[2].startswith("M") else None
    return reading
