"""A page of text that the networks of recognizer.py read."""

import math

import recognizer
from text_rows import Word

# How much narrower the picture of a line is when it is read again.
SECOND_SIZE = 1.05


class Page:
    """The lines of an upright RGB image that networks find. Coordinates of words are those of a page without
    slope."""

    def __init__(self, image, networks):
        self.image, self.networks = image, networks
        self.lines = self.networks.find(image)[: recognizer.MOST_LINES]
        # The angle of the lines, radians.
        self.slope = recognizer.median([line.angle for line in self.lines if line.length > recognizer.LONG * line.height])

    def words(self, line, narrower=recognizer.NARROWER):
        """The words of a line. Its picture is made narrower by a factor."""
        along, beside = math.cos(self.slope), math.sin(self.slope)
        # Letters fill about this part of the height of a line.
        height = 0.7 * line.height
        left = line.x * along + line.y * beside - line.length / 2
        top = line.y * along - line.x * beside - height / 2
        for word in recognizer.words(self.networks.read(self.image, line, narrower)):
            start, end = word[0].start * line.length, word[-1].end * line.length
            text = "".join(character.text for character in word)
            sureness = min(character.probability for character in word)
            letters = min((character.probability for character in word if character.text.isalnum()), default=sureness)
            yield Word(text, left + start, top, end - start, height, sureness, line, letters)

    def placed(self, answer):
        """The answer with boxes in the image instead of in the page."""
        along, beside = math.cos(self.slope), math.sin(self.slope)
        width, height = self.image.size
        for item in answer.values():
            if isinstance(item, dict):
                left, top, right, bottom = item["box"]
                corners = [(x, y) for x in (left, right) for y in (top, bottom)]
                xs = [min(max((x * along - y * beside) / width, 0.0), 1.0) for x, y in corners]
                ys = [min(max((x * beside + y * along) / height, 0.0), 1.0) for x, y in corners]
                box = [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
                item["box"] = [round(part, 4) for part in box]
        return answer
