"""The outline of land and borders for the base map: Natural Earth 1:50m, from Debian's r-cran-rnaturalearthdata.

Natural Earth is in the public domain. The package has the data as R objects, serialised as R's manual "R Internals"
(1.8) describes. This module reads only the kinds of objects that occur there.
"""
import lzma
import struct
import zlib

ATTRIBUTES, TAG = 0x200, 0x400


class Reader:
    """Reads one serialised R object (XDR form)."""

    def __init__(self, data):
        self.data, self.at, self.references = data, 0, []
        if self.take(2) != b"X\n":
            raise ValueError("expected R's XDR form")
        version = self.integer()
        self.take(8)
        if version == 3:
            self.take(self.integer())

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def integer(self):
        return struct.unpack(">i", self.take(4))[0]

    def text(self):
        return self.item()

    def pairs(self, flags):
        """A pairlist as a dictionary."""
        found = {}
        while True:
            kind = flags & 0xFF
            if kind == 254:
                return found
            if kind != 2:
                raise ValueError(f"a pairlist ends with an object of type {kind}")
            if flags & ATTRIBUTES:
                self.item()
            name = self.item() if flags & TAG else len(found)
            found[name] = self.item()
            flags = self.integer()

    def item(self):
        flags = self.integer()
        kind = flags & 0xFF
        if kind in (2,):
            return self.pairs(flags)
        if kind in (254, 253, 251, 242, 241):
            return None
        if kind == 255:
            return self.references[(flags >> 8) - 1 if flags >> 8 else self.integer() - 1]
        if kind == 1:
            name = self.item()
            self.references.append(name)
            return name
        if kind == 9:
            count = self.integer()
            return None if count < 0 else self.take(count).decode("utf-8", "replace")
        if kind == 25:
            return self.pairs(self.integer())
        if kind == 10 or kind == 13:
            count = self.integer()
            value = list(struct.unpack(f">{count}i", self.take(4 * count)))
        elif kind == 14:
            count = self.integer()
            value = list(struct.unpack(f">{count}d", self.take(8 * count)))
        elif kind in (16, 19, 20):
            value = [self.item() for _ in range(self.integer())]
        elif kind == 24:
            value = self.take(self.integer())
        elif kind == 238:
            _, state, attributes = self.item(), self.item(), self.item()
            return state
        else:
            raise ValueError(f"R type {kind} at byte {self.at}")
        if flags & ATTRIBUTES:
            attributes = self.pairs(self.integer())
            if "names" in attributes and attributes["names"]:
                return dict(zip(attributes["names"], value))
            if "dim" in attributes:
                return value, attributes["dim"]
        return value


def objects(folder):
    """All objects of a lazy-loaded data base, by name."""
    with open(folder + "/Rdata.rdx", "rb") as file:
        index = Reader(zlib.decompress(file.read(), 47)).item()
    with open(folder + "/Rdata.rdb", "rb") as file:
        data = file.read()

    def load(place):
        start, count = place
        chunk = data[start:start + count]
        # Four bytes of length, then a letter that names the compression.
        form = chunk[4:5]
        if form == b"Z":
            return lzma.decompress(chunk[5:], lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 6}])
        return zlib.decompress(chunk[4:])

    return {name: (lambda place=place: Reader(load(place)).item()) for name, place in index["variables"].items()}


def simplified(points, tolerance):
    """Douglas and Peucker's simplification, degrees."""
    keep = {0, len(points) - 1}
    waiting = [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        (ax, ay), (bx, by) = points[first], points[last]
        dx, dy = bx - ax, by - ay
        length = dx * dx + dy * dy
        worst, place = tolerance * tolerance, None
        for number in range(first + 1, last):
            x, y = points[number]
            along = min(1, max(0, ((x - ax) * dx + (y - ay) * dy) / length)) if length else 0
            square = (x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2
            if square > worst:
                worst, place = square, number
        if place is not None:
            keep.add(place)
            waiting += [(first, place), (place, last)]
    return [points[number] for number in sorted(keep)]


def countries(folder, tolerance=0.01):
    """The countries as one GeoJSON FeatureCollection, coordinates with three decimals."""
    features = []
    frame = objects(folder)["countries50"]()
    names = frame["data"]["name"] if isinstance(frame["data"], dict) else None
    for number, shape in enumerate(frame["polygons"]):
        rings, holes = [], []
        for polygon in shape["Polygons"]:
            values, (rows, _) = polygon["coords"]
            points = [(values[row], values[rows + row]) for row in range(rows)]
            ring = [[round(x, 3), round(y, 3)] for x, y in simplified(points, tolerance)]
            if len(ring) < 4:
                continue
            (holes if polygon["hole"][0] else rings).append(ring)
        # A hole belongs to the ring that contains its first point.
        polygons = [[ring] for ring in rings]
        for hole in holes:
            owner = next((polygon for polygon in polygons if contains(polygon[0], hole[0])), None)
            if owner:
                owner.append(hole)
        features.append({
            "type": "Feature", "properties": {"name": names[number] if names else ""},
            "geometry": {"type": "MultiPolygon", "coordinates": polygons},
        })
    return {"type": "FeatureCollection", "features": features}


def contains(ring, point):
    inside, (x, y) = False, point
    for (ax, ay), (bx, by) in zip(ring, ring[1:]):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside
