"""Recognizes text with neural networks: one finds the lines of text in an image, the other reads a line.

The networks and the library that runs them are optional (scripts/install.sh recognizer). They run on one core.
"""

import math
import os
import sys

# The folders that may have the library and the networks: the one that the sandbox shows, and the one of the Debian package.
FOLDERS = ["/recognizer", "/usr/lib/fleetstore/recognizer"]
FINDER, READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
# The number of pixels of the image in which lines are searched, and its smallest width.
FINDER_PIXELS, FINDER_WIDTH = 800_000, 480
# A pixel with a higher value belongs to a line; a line has at least this mean.
INK, LINE = 0.3, 0.5
# The first network marks the core of a line. The line is larger on each side by this part of area / circumference.
GROWTH = 1.6
# The height of lines that the second network reads, and the length of the longest line, in its pixels.
HEIGHT, LONGEST = 48, 2_400
# Lines are read this much narrower, which needs less time and causes hardly more errors.
NARROWER = 0.85
# A line that is this many times longer than high shows the direction of the text.
LONG = 3
# The most lines that are read. They need some 15 s.
MOST_LINES = 300


class Missing(Exception):
    """The networks cannot be used. The text is for the administrator."""


def folder():
    """The folder of the networks; `None` if they are not installed."""
    for path in filter(None, [os.environ.get("RECOGNIZER"), *FOLDERS]):
        if os.path.exists(os.path.join(path, READER)):
            return path
    return None


def load():
    """Loads the networks, or throws `Missing`."""
    path = folder()
    if path is None:
        raise Missing("the networks are not installed")
    try:
        return Recognizer(path)
    except MemoryError:
        raise
    except ImportError as error:
        raise Missing(f"Python {sys.version_info.major}.{sys.version_info.minor} cannot load {error.name}") from None
    except Exception as error:
        # The library has errors of its own for networks that are damaged.
        raise Missing(f"the networks cannot be loaded ({type(error).__name__})") from None


class Line:
    """A line of text: its middle, the angle of its direction, its length and its height, pixels and radians."""

    def __init__(self, x, y, angle, length, height):
        self.x, self.y, self.angle, self.length, self.height = x, y, angle, length, height


class Character:
    """A character, its probability, and where it starts and ends, as parts of the length of its line."""

    def __init__(self, text, probability, start, end):
        self.text, self.probability, self.start, self.end = text, probability, start, end


def median(numbers):
    return sorted(numbers)[len(numbers) // 2] if numbers else 0.0


def joined(rows, starts, ends):
    """Groups runs of pixels that touch, from those of adjacent rows. The runs are sorted by row and start."""
    parents = list(range(len(rows)))

    def root(item):
        while parents[item] != item:
            parents[item] = item = parents[parents[item]]
        return item

    above, index = 0, 0
    while index < len(rows):
        row, first = rows[index], index
        while index < len(rows) and rows[index] == row:
            index += 1
        if above < first and rows[above] == row - 1:
            upper = above
            for lower in range(first, index):
                while upper < first and ends[upper] <= starts[lower]:
                    upper += 1
                touching = upper
                while touching < first and starts[touching] < ends[lower]:
                    parents[root(touching)] = root(lower)
                    touching += 1
        above = first
    groups = {}
    for item in range(len(rows)):
        groups.setdefault(root(item), []).append(item)
    return list(groups.values())


class Recognizer:
    def __init__(self, path):
        """Loads the networks of a folder. Throws an ImportError if the library, or numpy, does not fit this Python."""
        sys.path.insert(0, path)
        try:
            import numpy
            import onnxruntime
        finally:
            sys.path.remove(path)
        self.numpy = numpy
        # The sandbox has no network to report to; this saves the attempt.
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4

        def session(name):
            return onnxruntime.InferenceSession(os.path.join(path, name), options, providers=["CPUExecutionProvider"])

        self.finder, self.reader = session(FINDER), session(READER)
        # Class 0 is the blank between characters, the last one is the space. Letters of other scripts are not expected.
        characters = ["", *self.reader.get_modelmeta().custom_metadata_map["character"].split("\n")]
        characters += [" "] * (self.reader.get_outputs()[0].shape[-1] - len(characters))
        wanted = [number for number, text in enumerate(characters) if number == 0 or text and (ord(text[0]) < 0x250 or text in "€£₹‘’“”–—")]
        self.classes, self.characters = numpy.array(wanted), [characters[number] for number in wanted]

    def run(self, network, image):
        """The answer of a network for an RGB image. They were trained with blue as the first colour."""
        np = self.numpy
        pixels = (np.asarray(image, dtype=np.float32)[:, :, ::-1] / 127.5 - 1).transpose(2, 0, 1)[None]
        return network.run(None, {network.get_inputs()[0].name: np.ascontiguousarray(pixels)})[0][0]

    def find(self, image):
        """The lines of an RGB image."""
        factor = min(1.0, math.sqrt(FINDER_PIXELS / (image.width * image.height)))
        factor = max(factor, min(1.0, FINDER_WIDTH / image.width))
        width, height = (max(32, round(side * factor / 32) * 32) for side in image.size)
        marked = self.run(self.finder, image.resize((width, height), 2, reducing_gap=2.0))[0]
        return self.lines(marked, image.width / width, image.height / height)

    def lines(self, marked, across, down):
        """The lines that are marked. A pixel of `marked` is `across` × `down` pixels of the image."""
        np = self.numpy
        ink = np.zeros((marked.shape[0], marked.shape[1] + 2), dtype=np.int8)
        ink[:, 1:-1] = marked > INK
        steps = np.diff(ink, axis=1)
        rows, starts = np.nonzero(steps == 1)
        ends = np.nonzero(steps == -1)[1]
        if len(rows) > 100_000:
            return []
        sums = np.concatenate([np.zeros((marked.shape[0], 1)), np.cumsum(marked, axis=1, dtype=np.float64)], axis=1)
        weights, parts = sums[rows, ends] - sums[rows, starts], []
        for members in joined(rows.tolist(), starts.tolist(), ends.tolist()):
            first, last, y = starts[members], ends[members], rows[members]
            area = (last - first).sum()
            if area >= 12 and weights[members].sum() >= LINE * area:
                parts.append((first * across, last * across, y * down))
        measured = []
        for first, last, y in parts:
            # The direction in which the pixels extend most, from their second moments.
            sizes = last - first
            middles = (first + last) / 2
            x_mean, y_mean = np.average(middles, weights=sizes), np.average(y, weights=sizes)
            xx = np.average((middles - x_mean) ** 2 + sizes**2 / 12, weights=sizes)
            yy = np.average((y - y_mean) ** 2, weights=sizes) + down * down / 12
            xy = np.average((middles - x_mean) * (y - y_mean), weights=sizes)
            angle = 0.5 * math.atan2(2 * xy, xx - yy)
            is_long = xx + yy > (LONG**2 + 1) / LONG * 2 * math.sqrt(max(xx * yy - xy * xy, 0)) / 2
            measured.append((angle, is_long))
        # Directions of lines differ little: the median of those that are clear counts for the others, too.
        usual, found = median([angle for angle, is_long in measured if is_long]), []
        for (first, last, y), (angle, is_long) in zip(parts, measured):
            if not is_long:
                angle = usual
            along, beside = math.cos(angle), math.sin(angle)
            xs = np.concatenate([first, last, first, last])
            ys = np.concatenate([y, y, y + down, y + down])
            length, height = xs * along + ys * beside, ys * along - xs * beside
            right, left, bottom, top = length.max(), length.min(), height.max(), height.min()
            long, high = right - left, bottom - top
            growth = GROWTH * long * high / (long + high)
            middle, level = (left + right) / 2, (top + bottom) / 2
            found.append(
                Line(middle * along - level * beside, middle * beside + level * along, angle, long + growth, high + growth)
            )
        return found

    def read(self, image, line, narrower=NARROWER):
        """The characters of a line, whose picture is made narrower by a factor."""
        np = self.numpy
        width = min(LONGEST, max(16, round(line.length * narrower * HEIGHT / line.height / 8) * 8))
        along, beside = math.cos(line.angle), math.sin(line.angle)
        across, down = line.length / width, line.height / HEIGHT
        left = line.x - along * line.length / 2 + beside * line.height / 2
        top = line.y - beside * line.length / 2 - along * line.height / 2
        # 0 is an affine transformation, 3 is bicubic.
        strip = image.transform(
            (width, HEIGHT), 0, (along * across, -beside * down, left, beside * across, along * down, top), 3
        )
        answer = self.run(self.reader, strip)[:, self.classes]
        best, found, before = answer.argmax(axis=1), [], 0
        for step, number in enumerate(best.tolist()):
            if number and number == before:
                found[-1].probability = max(found[-1].probability, float(answer[step, number]))
                found[-1].end = (step + 1) / len(best)
            elif number:
                found.append(
                    Character(self.characters[number], float(answer[step, number]), step / len(best), (step + 1) / len(best))
                )
            before = number
        return found


def words(characters):
    """The characters of a line, separated at spaces."""
    found = [[]]
    for character in characters:
        if character.text == " ":
            found.append([])
        else:
            found[-1].append(character)
    return [word for word in found if word]
