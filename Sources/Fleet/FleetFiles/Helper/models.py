"""Makes images of a 3D model, and converts it to binary glTF.

The server has checked the model before, and checks the converted model afterwards. Everything here runs in the sandbox of
images.py. The packages trimesh and usd-core are only needed to convert PLY, OBJ, STL and USDZ; if they are missing, the answer
says so.
"""

import base64
import ctypes
import io
import json
import os
import struct
import sys
import urllib.parse

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np

# The size of the poster, pixels. It is drawn larger by this factor, and made smaller, so that edges are smooth.
WIDTH, HEIGHT, SMOOTH = 800, 600, 2
THUMBNAIL = 320
# The largest converted model, bytes.
MOST_BYTES = 48 << 20
# The most pixels that are compared while triangles are drawn.
MOST_FRAGMENTS = 200_000_000
# Triangles of similar size are drawn together; larger ones one after another.
CLASSES = (2, 4, 8, 16, 32)
TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


# Freed memory is used again, because getting it from the system each time takes longer than the work on it.
for option in (-1, -3):
    ctypes.CDLL(None).mallopt(option, 1 << 30)


class Problem(Exception):
    """The model cannot be converted. The text is for people."""


# Binary glTF


def chunks(data):
    """Returns the JSON document and the binary data of binary glTF."""
    document, binary, offset = None, b"", 12
    while offset + 8 <= min(len(data), struct.unpack_from("<I", data, 8)[0]):
        count, kind = struct.unpack_from("<II", data, offset)
        content = data[offset + 8 : offset + 8 + count]
        if kind == 0x4E4F534A:
            document = json.loads(content)
        elif kind == 0x004E4942:
            binary = content
        offset += 8 + count
    return document, binary


def pack(document, binary):
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def embedded(uri):
    head, _, body = uri.partition(",")
    return base64.b64decode(body) if head.endswith(";base64") else urllib.parse.unquote_to_bytes(body)


def packed(data):
    """Moves the buffers and images of a glTF document into binary glTF."""
    document, binary = json.loads(data), b""
    starts = []
    for buffer in document.get("buffers", []):
        binary += b"\0" * (-len(binary) % 8)
        starts.append(len(binary))
        binary += embedded(buffer["uri"]) if "uri" in buffer else bytes(buffer["byteLength"])
    views = document.setdefault("bufferViews", [])
    for view in views:
        view["byteOffset"] = view.get("byteOffset", 0) + starts[view["buffer"]]
        view["buffer"] = 0
    for image in document.get("images", []):
        if "uri" in image:
            content = embedded(image.pop("uri"))
            image.setdefault("mimeType", "image/png" if content.startswith(b"\x89PNG") else "image/jpeg")
            binary += b"\0" * (-len(binary) % 8)
            image["bufferView"] = len(views)
            views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(content)})
            binary += content
    if not views:
        del document["bufferViews"]
    if binary:
        document["buffers"] = [{"byteLength": len(binary)}]
    else:
        document.pop("buffers", None)
    return pack(document, binary)


class Part:
    """Triangles or points with one material, in the coordinates of the scene."""

    def __init__(self, positions, triangles, color, colors=None, coordinates=None, texture=None):
        self.positions, self.triangles, self.color = positions, triangles, color
        self.colors, self.coordinates, self.texture = colors, coordinates, texture


class Scene:
    """Reads the parts of the scene of a model."""

    def __init__(self, data):
        self.document, self.binary = chunks(data)
        self.parts, self.textures = [], {}
        nodes = self.document.get("nodes", [])
        scenes = self.document.get("scenes", [])
        if scenes:
            roots = scenes[self.document.get("scene", 0)].get("nodes", [])
        else:
            children = {child for node in nodes for child in node.get("children", [])}
            roots = [index for index in range(len(nodes)) if index not in children]
        waiting = [(index, np.eye(4)) for index in roots]
        while waiting:
            index, parent = waiting.pop()
            node = nodes[index]
            matrix = parent @ self.local(node)
            waiting += [(child, matrix) for child in node.get("children", [])]
            if "mesh" in node:
                for primitive in self.document["meshes"][node["mesh"]]["primitives"]:
                    self.add(primitive, matrix)

    @staticmethod
    def local(node):
        if "matrix" in node:
            return np.array(node["matrix"], float).reshape(4, 4).T
        matrix = np.eye(4)
        x, y, z, w = node.get("rotation", (0, 0, 0, 1))
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        matrix[:3, :3] *= np.array(node.get("scale", (1, 1, 1)))
        matrix[:3, 3] = node.get("translation", (0, 0, 0))
        return matrix

    def raw(self, view, offset, count, size, kind):
        view = self.document["bufferViews"][view]
        kind = np.dtype(kind)
        stride = view.get("byteStride", size * kind.itemsize)
        return np.ndarray(
            (count, size), kind, self.binary, view.get("byteOffset", 0) + offset, (stride, kind.itemsize))

    def read(self, index):
        accessor = self.document["accessors"][index]
        kind, size, count = TYPES[accessor["componentType"]], SIZES[accessor["type"]], accessor["count"]
        if "bufferView" in accessor:
            values = self.raw(accessor["bufferView"], accessor.get("byteOffset", 0), count, size, kind)
        else:
            values = np.zeros((count, size), kind)
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            values = values.copy()
            at, new = sparse["indices"], sparse["values"]
            rows = self.raw(at["bufferView"], at.get("byteOffset", 0), sparse["count"], 1, TYPES[at["componentType"]])
            values[rows[:, 0]] = self.raw(new["bufferView"], new.get("byteOffset", 0), sparse["count"], size, kind)
        if accessor.get("normalized"):
            return np.maximum(values / np.iinfo(values.dtype).max, -1)
        return values

    def add(self, primitive, matrix):
        attributes = primitive["attributes"]
        if "POSITION" not in attributes:
            return
        positions = self.read(attributes["POSITION"]).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        if "indices" in primitive:
            order = self.read(primitive["indices"])[:, 0].astype(np.int64)
        else:
            order = np.arange(len(positions))
        mode = primitive.get("mode", 4)
        if mode == 4:
            triangles = order[: len(order) // 3 * 3].reshape(-1, 3)
        elif mode == 5:
            triangles = np.stack([order[:-2], order[1:-1], order[2:]], 1) if len(order) > 2 else order[:0].reshape(0, 3)
        elif mode == 6 and len(order) > 2:
            triangles = np.stack([np.full(len(order) - 2, order[0]), order[1:-1], order[2:]], 1)
        else:
            triangles = np.zeros((0, 3), np.int64)
        color, info = np.array([0.8, 0.8, 0.8]), None
        if "material" in primitive:
            metal = self.document["materials"][primitive["material"]].get("pbrMetallicRoughness", {})
            color = np.array(metal.get("baseColorFactor", (1, 1, 1, 1))[:3], float)
            # Colours of glTF are linear.
            color = np.clip(color, 0, 1) ** (1 / 2.2)
            info = metal.get("baseColorTexture")
        colors = self.read(attributes["COLOR_0"])[:, :3].astype(float) ** (1 / 2.2) if "COLOR_0" in attributes else None
        coordinates, texture = None, None
        if info is not None:
            name = f"TEXCOORD_{info.get('texCoord', 0)}"
            texture = self.texture(info["index"])
            if name in attributes and texture is not None:
                coordinates = self.read(attributes[name]).astype(float)
            else:
                texture = None
        self.parts.append(Part(positions, triangles, color, colors, coordinates, texture))

    def texture(self, index):
        """Returns the pixels of a texture; None if they cannot be decoded."""
        if index not in self.textures:
            import images

            pixels = None
            source = self.document["textures"][index].get("source")
            image = self.document["images"][source] if source is not None else {}
            if "bufferView" in image:
                view = self.document["bufferViews"][image["bufferView"]]
                start = view.get("byteOffset", 0)
                try:
                    decoded = images.decode(self.binary[start : start + view["byteLength"]])[0]
                    decoded.thumbnail((1024, 1024))
                    pixels = np.asarray(decoded, np.float32) / 255
                except Exception:
                    # A texture that cannot be decoded is not drawn.
                    pixels = None
            self.textures[index] = pixels
        return self.textures[index]


# Images


class Canvas:
    """Draws triangles and points: finds the nearest one of each pixel, and then its colour."""

    def __init__(self, parts):
        self.width, self.height = WIDTH * SMOOTH, HEIGHT * SMOOTH
        self.depths = np.full(self.width * self.height, np.inf, np.float32)
        self.owners = np.full(self.width * self.height, -1, np.int64)
        self.fragments = 0
        corners = np.array([[part.positions.min(0), part.positions.max(0)] for part in parts])
        low, high = corners[:, 0].min(0), corners[:, 1].max(0)
        front = np.array([0.55, 0.45, 0.75])
        front /= np.linalg.norm(front)
        right = np.cross([0, 1, 0], front)
        right /= np.linalg.norm(right)
        self.axes = np.array([right, -np.cross(front, right), -front])
        box = np.array([[(low, high)[x][0], (low, high)[y][1], (low, high)[z][2]] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        middle, seen = (low + high) / 2, (box - (low + high) / 2) @ self.axes.T
        extent = np.maximum(np.abs(seen[:, :2]).max(0), 1e-9)
        scale = min(0.46 * self.width / extent[0], 0.46 * self.height / extent[1])
        self.points = [((part.positions - middle) @ self.axes.T) * scale for part in parts]
        for points in self.points:
            points[:, 0] += self.width / 2
            points[:, 1] += self.height / 2

    def keep(self, pixels, depths, owners):
        """Notes fragments that are nearer than those before."""
        order = np.lexsort((depths, pixels))
        pixels, depths, owners = pixels[order], depths[order], owners[order]
        first = np.ones(len(pixels), bool)
        first[1:] = pixels[1:] != pixels[:-1]
        pixels, depths, owners = pixels[first], depths[first], owners[first]
        nearer = depths < self.depths[pixels]
        self.depths[pixels[nearer]] = depths[nearer]
        self.owners[pixels[nearer]] = owners[nearer]

    def add(self, part, triangles, start):
        corners = self.points[part][triangles]
        low = np.floor(corners[:, :, :2].min(1)).astype(np.int64)
        size = np.ceil(corners[:, :, :2].max(1)).astype(np.int64) - low + 1
        size = size.max(1)
        lower = 0
        for limit in CLASSES:
            chosen = np.nonzero((size > lower) & (size <= limit))[0]
            lower = limit
            step = max(1, 100_000 // (limit * limit))
            for at in range(0, len(chosen), step):
                some = chosen[at : at + step]
                self.fill(corners[some], low[some], limit, start + some)
        for index in np.nonzero(size > lower)[0]:
            self.fill_large(corners[index], start + index)

    def fill_large(self, corners, owner):
        """Draws one triangle, some rows at a time."""
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        first = np.maximum(np.floor(corners[:, :2].min(0)).astype(int), 0)
        last = np.minimum(np.ceil(corners[:, :2].max(0)).astype(int) + 1, (self.width, self.height))
        if abs(area) < 1e-12 or (last <= first).any():
            return
        self.count((last[0] - first[0]) * (last[1] - first[1]))
        depths, owners = (array.reshape(self.height, self.width) for array in (self.depths, self.owners))
        x = np.arange(first[0], last[0]) + 0.5
        # The weights of the corners are linear in x and y.
        vx, wx = (bx * cy - cx * by + x * (by - cy)) / area, (cx * ay - ax * cy + x * (cy - ay)) / area
        for top in range(first[1], last[1], 32):
            rows = slice(top, min(top + 32, last[1]))
            y = np.arange(rows.start, rows.stop) + 0.5
            v = np.add.outer(y * (cx - bx) / area, vx).astype(np.float32)
            w = np.add.outer(y * (ax - cx) / area, wx).astype(np.float32)
            depth = v * np.float32(az - cz) + w * np.float32(bz - cz) + np.float32(cz)
            part = depths[rows, first[0] : last[0]]
            shown = (v >= -1e-6) & (w >= -1e-6) & (v + w <= 1 + 1e-6) & (depth < part)
            part[shown] = depth[shown]
            owners[rows, first[0] : last[0]][shown] = owner

    def count(self, fragments):
        self.fragments += fragments
        if self.fragments > MOST_FRAGMENTS:
            raise Problem("drawing it takes too long")

    def fill(self, corners, low, side, owners):
        self.count(len(corners) * side * side)
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
        flat = np.abs(area) < 1e-12
        area = np.where(flat, 1, area)
        x = low[:, 0, None] + np.arange(side)[None]
        y = low[:, 1, None] + np.arange(side)[None]
        px, py = x[:, None, :] + 0.5, y[:, :, None] + 0.5

        def column(values):
            return values[:, None, None]

        v = (column(b[:, 0]) - px) * (column(c[:, 1]) - py) - (column(c[:, 0]) - px) * (column(b[:, 1]) - py)
        w = (column(c[:, 0]) - px) * (column(a[:, 1]) - py) - (column(a[:, 0]) - px) * (column(c[:, 1]) - py)
        v, w = v / column(area), w / column(area)
        u = 1 - v - w
        depth = v * column(a[:, 2]) + w * column(b[:, 2]) + u * column(c[:, 2])
        inside = (v >= -1e-6) & (w >= -1e-6) & (u >= -1e-6) & ~column(flat)
        inside &= (x[:, None, :] >= 0) & (x[:, None, :] < self.width) & (y[:, :, None] >= 0) & (y[:, :, None] < self.height)
        number, row, line = np.nonzero(inside)
        if len(number):
            pixels = (low[number, 1] + row) * self.width + low[number, 0] + line
            self.keep(pixels, depth[inside].astype(np.float32), owners[number])

    def dots(self, part, start):
        """Draws the points of a part that has no triangles."""
        points = self.points[part]
        at = np.floor(points[:, :2]).astype(np.int64)
        for dx in range(-SMOOTH, SMOOTH + 1):
            for dy in range(-SMOOTH, SMOOTH + 1):
                x, y = at[:, 0] + dx, at[:, 1] + dy
                inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
                self.keep((y * self.width + x)[inside], points[inside, 2].astype(np.float32), start + np.nonzero(inside)[0])


def draw(parts):
    """Returns an image of a model without a background."""
    from PIL import Image

    canvas, starts, total = Canvas(parts), [], 0
    for index, part in enumerate(parts):
        starts.append(total)
        if len(part.triangles):
            for at in range(0, len(part.triangles), 500_000):
                canvas.add(index, part.triangles[at : at + 500_000], total + at)
            total += len(part.triangles)
        else:
            canvas.dots(index, total)
            total += len(part.positions)
    pixels = np.zeros((canvas.width * canvas.height, 4), np.float32)
    covered = np.nonzero(canvas.owners >= 0)[0]
    owners = canvas.owners[covered]
    which = np.searchsorted(np.array(starts), owners, "right") - 1
    for index, part in enumerate(parts):
        mine = which == index
        mine = np.nonzero(mine)[0]
        for begin in range(0, len(mine), 50_000):
            some = mine[begin : begin + 50_000]
            at = covered[some]
            pixels[at, :3] = shade(canvas, index, part, owners[some] - starts[index], at)
            pixels[at, 3] = 1
    shape = (canvas.height, canvas.width, 4)
    image = Image.fromarray((np.clip(pixels, 0, 1) * 255).astype(np.uint8).reshape(shape), "RGBA")
    # Transparent pixels are black: the colours are divided by the coverage again.
    small = np.asarray(image.resize((WIDTH, HEIGHT), Image.BOX), np.float32)
    alpha = small[:, :, 3:4]
    small = np.concatenate([np.where(alpha > 0, small[:, :, :3] * 255 / np.maximum(alpha, 1), 0), alpha], 2)
    return Image.fromarray(np.clip(small, 0, 255).astype(np.uint8), "RGBA")


def shade(canvas, index, part, owners, pixels):
    """Returns the colours of pixels, each of which shows a triangle or a point."""
    if not len(part.triangles):
        return np.clip(part.colors[owners] if part.colors is not None else part.color, 0, 1)
    triangles = part.triangles[owners]
    corners = canvas.points[index][triangles]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    # The model is lit from the viewer's left. Both sides of a triangle are visible.
    light = np.array([-0.35, -0.45, -0.82])
    bright = 0.35 + 0.65 * np.abs(normals @ (light / np.linalg.norm(light)))
    x, y = pixels % canvas.width + 0.5, pixels // canvas.width + 0.5
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    v = ((b[:, 0] - x) * (c[:, 1] - y) - (c[:, 0] - x) * (b[:, 1] - y)) / area
    w = ((c[:, 0] - x) * (a[:, 1] - y) - (a[:, 0] - x) * (c[:, 1] - y)) / area
    weights = np.stack([v, w, 1 - v - w], 1)[:, :, None]
    color = np.broadcast_to(part.color, (len(owners), 3))
    if part.colors is not None:
        color = color * (part.colors[triangles] * weights).sum(1)
    if part.texture is not None:
        at = (part.coordinates[triangles] * weights).sum(1) % 1
        height, width = part.texture.shape[:2]
        color = color * part.texture[
            np.minimum((at[:, 1] * height).astype(int), height - 1), np.minimum((at[:, 0] * width).astype(int), width - 1)]
    return color * bright[:, None]


# Conversion


def converted(data, kind):
    if kind == "gltf":
        return packed(data)
    sys.path.append("/packages")
    try:
        import trimesh

        if kind == "usdz":
            import convert_usd

            scene = convert_usd.scene(data)
        else:
            options = {"skip_materials": True} if kind == "obj" else {}
            data = absolute(data) if kind == "obj" else data
            scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False, **options)
    except ImportError as error:
        raise Problem(f"this server has no converter for {kind.upper()} (package {error.name})") from None
    for geometry in scene.geometry.values():
        clean(geometry)
    if not scene.geometry:
        raise Problem("it has no surfaces or points")
    return scene.export(file_type="glb")


def absolute(data):
    """Writes an OBJ file with indices that count from the beginning, and with numbers that Python knows."""
    counts, lines = {b"v": 0, b"vt": 0, b"vn": 0}, []
    for line in data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").splitlines():
        words = line.split()
        if words and words[0] in counts:
            counts[words[0]] += 1
            if b"#" in line:
                line = b" ".join(b"nan" if b"1.#" in word else word for word in words)
        elif words and words[0] in (b"f", b"l", b"p") and b"-" in line:
            corners = []
            for word in words[1:]:
                parts = zip(word.split(b"/"), (b"v", b"vt", b"vn"))
                corners.append(b"/".join(b"%d" % (counts[kind] + 1 + int(part)) if part.startswith(b"-") else part for part, kind in parts))
            line = b" ".join(words[:1] + corners)
        lines.append(line)
    return b"\n".join(lines) + b"\n"


def clean(geometry):
    """Removes faces and points with coordinates that are not numbers."""
    good = np.isfinite(geometry.vertices).all(axis=1)
    if good.all():
        return
    if hasattr(geometry, "faces"):
        geometry.update_faces(good[geometry.faces].all(axis=1))
        geometry.remove_unreferenced_vertices()
    else:
        colors = geometry.colors[good] if geometry.colors is not None and len(geometry.colors) == len(good) else None
        geometry.vertices = geometry.vertices[good]
        if colors is not None:
            geometry.colors = colors


def png(image):
    file = io.BytesIO()
    image.save(file, "PNG", optimize=False, compress_level=6)
    return file.getvalue()


def copies(data, kind):
    """Returns the answer of the helper, and the bytes of the copies."""
    answer, listed, bodies = {}, [], []

    def add(name, media, size, body):
        listed.append({"name": name, "mediaType": media, "width": size[0], "height": size[1], "size": len(body)})
        bodies.append(body)

    try:
        if kind != "glb":
            data = converted(data, kind)
            if len(data) > MOST_BYTES:
                raise Problem(f"the converted model is larger than {MOST_BYTES >> 20} MB")
            add("model", "model/gltf-binary", (0, 0), data)
        parts = [part for part in Scene(data).parts if len(part.positions) and np.isfinite(part.positions).all()]
        if parts:
            poster = draw(parts)
            add("poster", "image/png", poster.size, png(poster))
            small = poster.copy()
            small.thumbnail((THUMBNAIL, THUMBNAIL))
            add("thumbnail", "image/png", small.size, png(small))
    except Problem as problem:
        answer["problem"] = str(problem)
    return {**answer, "versions": listed}, bodies
