"""Two readings of the same receipt: what both have is more certain, and what they contradict is less."""

import re

# The part of the confidence that is left if only one reading has a value, or if both have different values; and how much a
# second reading with the same value adds.
ALONE, CONTRADICTED, CONFIRMED = 0.85, 0.7, 0.05


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


def confirm(first, second):
    """Changes the confidences of a reading by those of a second one, which was made of fewer lines."""
    (one, more), (two, also) = first, second
    for key, item in one.items():
        if key not in two:
            item.confidence *= ALONE
        elif not same(key, item, two[key]):
            item.confidence *= CONTRADICTED
        else:
            # Each letter of a name is as sure as the surer reading of it; the digits of an amount look more alike.
            surest = max if key == "merchant" else min
            item.confidence = surest(item.confidence, two[key].confidence) + CONFIRMED
    more["preliminary"] = more["preliminary"] or also["preliminary"]
    return one, more
