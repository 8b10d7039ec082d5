#!/usr/bin/python3
"""Measures how well receipts are read: for each value, how many of those on the papers are read (recall), and how many of the
reported ones are right (precision).

receipts.py [FOLDER] [--boxes] [--tesseract] [--wrong]

FOLDER: with `sroie/NAME.jpg`, `NAME.truth.json` and `NAME.boxes.csv` (ICDAR 2019 SROIE), and with texts in `sroie_text` and
`fuel_text`; by default ../shared/data/receipts. --boxes: takes the words of the data set instead of those that tesseract reads,
to measure only how they are understood. --tesseract: does not use the networks. --wrong: also prints the values that are wrong or
missing.

The photos are divided at random into two halves. docs/Performance.md states which rules come from which half, so that the other
half measures them. --wrong prints only those of half A. In the sandbox, a receipt
of 40 lines took 2.5 s in the best of six runs; the longest of these runs needed 3.5 s.
"""

import glob
import json
import os
import random
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Sources/Fleet/FleetFiles/Helper"))

import images  # noqa: E402
import receipts  # noqa: E402
import recognizer  # noqa: E402
from text_rows import Word  # noqa: E402


# Which receipts are for development is random, but always the same.
SEED = 18


class Figures:
    def __init__(self, shows_wrong):
        self.counts, self.shows_wrong = {}, shows_wrong

    def add(self, key, name, truth, found):
        """Counts a value. `truth` is `None` if it is not on the paper."""
        count = self.counts.setdefault(key, [0, 0, 0])
        count[0] += truth is not None
        count[1] += found is not None
        is_right = truth is not None and same(key, truth, found)
        count[2] += is_right
        if self.shows_wrong and not is_right and (truth is not None or found is not None):
            print(f"{name}: {key}: expected {truth!r}, found {found!r}")

    def show(self):
        print(f"{'value':<12} {'on paper':>8} {'reported':>8} {'right':>6} {'recall':>8} {'precision':>9}")
        for key, (papers, reported, right) in self.counts.items():
            print(
                f"{key:<12} {papers:>8} {reported:>8} {right:>6} {right / max(papers, 1):>8.1%} {right / max(reported, 1):>9.1%}"
            )


def same(key, truth, found):
    if found is None:
        return False
    if key == "merchant":
        return re.sub(r"\W", "", truth).upper() == re.sub(r"\W", "", found).upper()
    if key in ("total", "quantity", "price", "fuelAmount"):
        return float(truth) == float(found)
    return truth == found


def words_of_lines(lines):
    """The words of a text, as if it were printed with letters of the same width."""
    for number, line in enumerate(lines):
        left = 20
        for text in line.split():
            yield Word(text, left, number * 40, len(text) * 18, 30, 0.95)
            left += (len(text) + 1) * 18


def words_of_boxes(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            parts = line.rstrip("\r\n").split(",", 8)
            if len(parts) == 9:
                across, down = [int(part) for part in parts[0:8:2]], [int(part) for part in parts[1:8:2]]
                yield Word(
                    parts[8], min(across), min(down), max(across) - min(across), max(down) - min(down), 0.95
                )


def value(answer, key):
    return answer[key]["value"] if key in answer else None


def measure(path, photos, with_boxes):
    """Reads a photo, counts its values, and returns the processor time, s."""
    with open(path, encoding="utf-8") as file:
        truth = json.load(file)
    base = path[: -len(".truth.json")]
    started = os.times()
    if with_boxes:
        answer = receipts.fields(list(words_of_boxes(base + ".boxes.csv")), (1000, 2000))
    else:
        with open(base + ".jpg", "rb") as file:
            answer = receipts.read(images.decode(file.read())[0])
    ended = os.times()
    name, fuel = os.path.basename(base), truth["fuel"]
    is_fuel = fuel["is_fuel_receipt"]
    photos.add("merchant", name, truth["sroie"].get("company"), value(answer, "merchant"))
    for key in ("date", "total", "currency"):
        # If the data set has no value, the receipt may still show one, so it is not counted.
        if key in truth["normalised"] and truth["normalised"][key] is not None:
            photos.add(key, name, truth["normalised"][key], value(answer, key))
    photos.add("quantity", name, fuel["litres"] if is_fuel else None, value(answer, "quantity"))
    photos.add("price", name, fuel["price_per_litre"] if is_fuel else None, value(answer, "price"))
    if is_fuel:
        photos.add("time", name, fuel["datetime"][11:16], value(answer, "time"))
        photos.add("energy", name, fuel["fuel_type"], answer.get("energy"))
    return sum(ended[:4]) - sum(started[:4])


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    folder = folders[0] if folders else os.path.join(ROOT, "../shared/data/receipts")
    if not os.path.isdir(folder):
        sys.exit(f"receipts.py: {folder}: no such folder")
    # As in the sandbox, tesseract uses one core.
    os.environ.setdefault("OMP_THREAD_LIMIT", "1")
    os.environ.setdefault("RECOGNIZER", os.path.join(ROOT, ".tools/recognizer"))
    if "--tesseract" in options:
        recognizer.folder = lambda: None
    texts = Figures("--wrong" in options)
    paths = sorted(glob.glob(folder + "/sroie/*.truth.json"))
    random.Random(SEED).shuffle(paths)
    half = len(paths) // 2
    for title, part in [("Half A", paths[:half]), ("Half B", paths[half:])]:
        photos, seconds = Figures("--wrong" in options and title == "Half A"), []
        for path in part:
            seconds.append(measure(path, photos, "--boxes" in options))
        print(title)
        photos.show()
        print(f"processor time of a photo: median {sorted(seconds)[len(seconds) // 2]:.1f} s, longest {max(seconds):.1f} s\n")
    for path in sorted(glob.glob(folder + "/fuel_text/*.json")):
        with open(path, encoding="utf-8") as file:
            text = json.load(file)
        answer, truth = receipts.fields(list(words_of_lines(text["lines"])), (1000, 2000)), text["truth"]
        for key, known in [("quantity", "volume"), ("price", "unit_price"), ("fuelAmount", "fuel_amount"), ("currency", "currency")]:
            texts.add(key, os.path.basename(path), truth.get(known), value(answer, key))
    for path in sorted(glob.glob(folder + "/sroie_text/*.json")):
        with open(path, encoding="utf-8") as file:
            text = json.load(file)
        words = [
            Word(word.strip(), box[0], box[1], box[2] - box[0], box[3] - box[1], 0.95)
            for word, box in zip(text["words"], text["bboxes"])
        ]
        answer, fuel = receipts.fields(words, (1000, 2000)), text["fuel"]
        is_fuel = fuel["is_fuel_receipt"]
        texts.add("quantity", os.path.basename(path), fuel["litres"] if is_fuel else None, value(answer, "quantity"))
        texts.add("price", os.path.basename(path), fuel["price_per_litre"] if is_fuel else None, value(answer, "price"))
    print("Texts")
    texts.show()


if __name__ == "__main__":
    main()
