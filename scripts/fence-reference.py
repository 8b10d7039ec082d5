"""Makes fences and positions, with the results of shapely and geographiclib for them, as a reference for tests.

    fence-reference.py SEED CASES FOLDER

Writes FOLDER/fences.geojson and FOLDER/cases.txt with a line for each case: fence, latitude, longitude, 1 if the position
is inside or 0, and the distance to the boundary in m, or `-` if it was not computed. Positions nearer than 0.5 m to a
boundary are left out. Also writes FOLDER/rings.txt with a small ring on each line, and whether it is a valid polygon.

Whether a position is inside is computed in longitude and latitude for polygons (RFC 7946, 3.1.1), and on the ellipsoid for
circles and corridors.
"""

import json
import math
import random
import sys

import numpy
import shapely
from geographiclib.geodesic import Geodesic
from shapely.geometry import Polygon

EARTH = Geodesic.WGS84
BAND = 0.5


def rounded(value):
    return round(value, 7)


def wrap(longitude):
    return longitude - 360 if longitude > 180 else longitude + 360 if longitude < -180 else longitude


def ring(latitude, longitude, size, low, high, count):
    corners = []
    for corner in range(count):
        angle = 2 * math.pi * corner / count
        radius = size * random.uniform(low, high)
        corners.append((rounded(longitude + radius * math.cos(angle)), rounded(latitude + radius * math.sin(angle))))
    return corners + corners[:1]


def metres(a, b):
    return EARTH.Inverse(a[1], a[0], b[1], b[0], Geodesic.DISTANCE)["s12"]


def edge_distance(shape, longitude, latitude):
    """Returns a lower bound of the distance to a polygon's boundary in m, computed from the distance in degrees."""
    degrees = shape.boundary.distance(shapely.points(longitude, latitude))
    return degrees * 110_000 * math.cos(math.radians(min(89.9, abs(latitude) + degrees)))


def area(cases):
    """Makes a polygon with or without holes; one in four crosses the antimeridian."""
    latitude = random.uniform(-75, 75)
    longitude = 180 if random.random() < 0.25 else random.uniform(-175, 175)
    size = random.choice([0.001, 0.02, 1.0])
    while True:
        rings = [ring(latitude, longitude, size, 1, 3, random.randint(3, 200))]
        if random.random() < 0.5:
            rings.append(ring(latitude, longitude, size, 0.2, 0.45, random.randint(3, 40)))
        shape = Polygon(rings[0], rings[1:])
        if shape.is_valid:
            break
    shapely.prepare(shape)
    found = []
    while len(found) < cases:
        x = rounded(longitude + size * random.uniform(-3.2, 3.2))
        y = rounded(latitude + size * random.uniform(-3.2, 3.2))
        inside = shape.covers(shapely.points(x, y))
        if edge_distance(shape, x, y) > BAND:
            found.append((y, rounded(wrap(x)), inside, None))
    corners = [(y, rounded(wrap(x)), True, None) for x, y in rings[0]]
    coordinates = [[[rounded(wrap(x)), y] for x, y in ring] for ring in rings]
    return {"type": "Polygon", "coordinates": coordinates}, {}, found + corners


def circle(cases):
    """Makes a circle with a radius of up to 50 km; one in eight is at a pole."""
    latitude = random.choice([-1, 1]) * (random.uniform(89, 90) if random.random() < 0.125 else random.uniform(0, 89))
    middle = (rounded(180 if random.random() < 0.2 else random.uniform(-180, 180)), rounded(latitude))
    radius = random.choice([20, 300, 5_000, 50_000]) * random.uniform(0.5, 1)
    found = []
    while len(found) < cases:
        way = EARTH.Direct(middle[1], middle[0], random.uniform(0, 360), radius * random.uniform(0.8, 1.2))
        position = (rounded(wrap(way["lon2"])), rounded(way["lat2"]))
        distance = metres(middle, position)
        if abs(distance - radius) > max(BAND, radius * 1e-3 if radius > 50_000 else 0):
            found.append((position[1], position[0], distance <= radius, abs(distance - radius)))
    return {"type": "Point", "coordinates": list(middle)}, {"radius": radius}, found


def space(longitude, latitude):
    longitude, latitude = numpy.radians(longitude), numpy.radians(latitude)
    normal = 6378137 / numpy.sqrt(1 - 6.69437999014e-3 * numpy.sin(latitude) ** 2)
    flat = normal * numpy.cos(latitude)
    return numpy.stack(
        [flat * numpy.cos(longitude), flat * numpy.sin(longitude), normal * (1 - 6.69437999014e-3) * numpy.sin(latitude)], -1)


def line_distance(line, position):
    """Returns the geodesic distance to the nearest point of a line that is straight in longitude and latitude. The
    point is searched for in ever smaller steps."""
    here = space(*position)
    best = math.inf
    for (ax, ay), (bx, by) in zip(line, line[1:]):
        low, high = 0.0, 1.0
        for _ in range(5):
            parts = numpy.linspace(low, high, 65)
            points = space(ax + parts * (bx - ax), ay + parts * (by - ay))
            nearest = int(numpy.argmin(((points - here) ** 2).sum(-1)))
            low, high = parts[max(0, nearest - 2)], parts[min(64, nearest + 2)]
        part = (low + high) / 2 if 0 < nearest < 64 else parts[nearest]
        best = min(best, metres((ax + part * (bx - ax), ay + part * (by - ay)), position))
    return best


def corridor(cases):
    """Makes a corridor of 2 to 6 positions, up to 88 degrees north and south; one in four crosses the antimeridian."""
    latitude = random.choice([-1, 1]) * (random.uniform(80, 88) if random.random() < 0.15 else random.uniform(0, 80))
    longitude = 180 if random.random() < 0.25 else random.uniform(-175, 175)
    radius = random.choice([15, 100, 1_000, 5_000]) * random.uniform(0.5, 1)
    step = radius / 30_000
    line = [(rounded(longitude), rounded(latitude))]
    for _ in range(random.randint(1, 5)):
        x, y = line[-1]
        line.append((rounded(x + step * random.uniform(-3, 3)), rounded(max(-89, min(89, y + step * random.uniform(-1, 1))))))
    found = []
    while len(found) < cases:
        (ax, ay), (bx, by) = random.choice(list(zip(line, line[1:])))
        part = random.random()
        way = EARTH.Direct(
            ay + part * (by - ay), ax + part * (bx - ax), random.uniform(0, 360), radius * random.uniform(0.3, 1.6))
        turned = ((way["lon2"] - longitude + 180) % 360) + longitude - 180
        position = (rounded(turned), rounded(way["lat2"]))
        distance = line_distance(line, position)
        if abs(distance - radius) > BAND:
            found.append((position[1], rounded(wrap(position[0])), distance <= radius, abs(distance - radius)))
    coordinates = [[rounded(wrap(x)), y] for x, y in line]
    return {"type": "LineString", "coordinates": coordinates}, {"radius": radius}, found


def small_rings(folder, count):
    """Makes rings on a grid of 5 by 5, in which touching, overlapping and crossing edges are common."""
    with open(f"{folder}/rings.txt", "w") as out:
        for _ in range(count):
            corners = [(random.randint(0, 4), random.randint(0, 4)) for _ in range(random.randint(3, 7))]
            corners.append(corners[0])
            out.write(f"{int(Polygon(corners).is_valid)} {' '.join(f'{x},{y}' for x, y in corners)}\n")


def main():
    seed, wanted, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    random.seed(seed)
    features = []
    written = 0
    with open(f"{folder}/cases.txt", "w") as out:
        while written < wanted:
            kind = random.choices([area, circle, corridor], [8, 3, 1])[0]
            geometry, properties, found = kind({area: 300, circle: 60, corridor: 40}[kind])
            for latitude, longitude, inside, distance in found:
                out.write(f"{len(features)} {latitude} {longitude} {int(inside)} {'-' if distance is None else distance}\n")
            written += len(found)
            properties["id"] = str(len(features))
            features.append({"type": "Feature", "properties": properties, "geometry": geometry})
    with open(f"{folder}/fences.geojson", "w") as out:
        json.dump({"type": "FeatureCollection", "features": features}, out)
    small_rings(folder, 20_000)


main()
