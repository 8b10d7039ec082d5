"""Makes images of a 3D model, and converts it to binary glTF.

The server has checked the model before, and checks the converted model afterwards. Everything here runs in the sandbox of
images.py. The packages trimesh and usd-core are only needed to convert PLY, OBJ, STL and USDZ; if they are missing, the answer
says so.
"""

import ctypes
import io
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
from drawing import draw
from gltf import Scene, packed
from model_problem import Problem

THUMBNAIL = 320
# The largest converted model, bytes.
MOST_BYTES = 48 << 20

# Freed memory is used again, because getting it from the system each time takes longer than the work on it.
for option in (-1, -3):
    ctypes.CDLL(None).mallopt(option, 1 << 30)


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
