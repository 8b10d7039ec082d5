"""Makes fences for measurements: alternately polygons, circles and corridors, the same in each run.

    fences.py FENCES CORNERS FOLDER

Writes FENCES fences with CORNERS corners each on average: FOLDER/fences.geojson, and FOLDER/fences.bin for GEOS (see
Benchmarks/Fences/Sources/CGEOS/cgeos.c).
"""

import math
import random
import struct
import sys


def position(longitude, latitude):
    return round(longitude, 7), round(latitude, 7)


def polygon(longitude, latitude, corners):
    size = random.uniform(0.0005, 0.01)
    ring = []
    for corner in range(2 * corners):
        angle = math.pi * corner / corners
        radius = size * random.uniform(0.7, 1)
        ring.append(position(longitude + 1.5 * radius * math.cos(angle), latitude + radius * math.sin(angle)))
    return ring + ring[:1]


def line(longitude, latitude, corners):
    course = random.uniform(0, 6)
    points = []
    for _ in range(corners):
        course += random.uniform(-0.3, 0.3)
        longitude += 0.0005 * math.cos(course)
        latitude += 0.0003 * math.sin(course)
        points.append(position(longitude, latitude))
    return points


def text(points):
    return ",".join(f"[{x:.7f},{y:.7f}]" for x, y in points)


def main():
    fences, corners, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    random.seed(1)
    with open(f"{folder}/fences.geojson", "w") as out, open(f"{folder}/fences.bin", "wb") as plain:
        plain.write(struct.pack("<q", fences))
        out.write('{"type":"FeatureCollection","features":[\n')
        for number in range(fences):
            longitude, latitude, kind = random.uniform(10, 13), random.uniform(47, 49), number % 3
            radius = [0, random.randint(50, 1000), random.randint(10, 50)][kind]
            if kind == 0:
                points = polygon(longitude, latitude, corners)
                geometry = f'"Polygon","coordinates":[[{text(points)}]]'
            elif kind == 1:
                points = [position(longitude, latitude)]
                geometry = f'"Point","coordinates":{text(points)}'
            else:
                points = line(longitude, latitude, corners)
                geometry = f'"LineString","coordinates":[{text(points)}]'
            more = f',"radius":{radius}' if radius else ""
            out.write(
                f'{{"type":"Feature","properties":{{"id":"f{number}","name":"Fence {number}"{more}}},'
                f'"geometry":{{"type":{geometry}}}}}{"," if number < fences - 1 else ""}\n')
            plain.write(struct.pack("<iid", kind, len(points), radius / 111_320))
            plain.write(struct.pack(f"<{2 * len(points)}d", *(value for point in points for value in point)))
        out.write("]}\n")


main()
