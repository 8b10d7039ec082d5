"""Reads and writes binary glTF: the parts of its scene, and glTF documents packed into it."""

import base64
import json
import struct
import urllib.parse

import numpy as np
from model_problem import Problem

# The most nodes and vertices of a scene. A mesh counts as often as the scene shows it.
MOST_NODES, MOST_VERTICES = 20_000, 20_000_000
TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


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
        self.parts, self.textures, self.vertices = [], {}, 0
        nodes = self.document.get("nodes", [])
        scenes = self.document.get("scenes", [])
        if scenes:
            roots = scenes[self.document.get("scene", 0)].get("nodes", [])
        else:
            children = {child for node in nodes for child in node.get("children", [])}
            roots = [index for index in range(len(nodes)) if index not in children]
        waiting = [(index, np.eye(4)) for index in roots]
        count = 0
        while waiting:
            count += 1
            # Nodes may also contain each other.
            if count > MOST_NODES:
                raise Problem(f"it has more than {MOST_NODES} nodes")
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
        self.vertices += self.document["accessors"][attributes["POSITION"]]["count"]
        if self.vertices > MOST_VERTICES:
            raise Problem(f"it shows more than {MOST_VERTICES} vertices")
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
