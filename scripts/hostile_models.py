"""Models for model-fuzz.py: valid ones of each format, and ones made to harm."""

import base64
import io
import json
import os
import struct
import zipfile
import zlib

from PIL import Image
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, UsdUtils

# What a foreign file contains, to which models refer.
SECRET, SECRET_COLOUR = b"the content of a foreign file", (250, 3, 180)
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
FACES = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7), (0, 1, 5), (0, 5, 4), (2, 3, 7), (2, 7, 6), (1, 2, 6), (1, 6, 5), (0, 4, 7), (0, 7, 3)]


def picture(colour=(200, 120, 40)):
    file = io.BytesIO()
    Image.new("RGB", (16, 16), colour).save(file, "PNG")
    return file.getvalue()


def huge_picture():
    """An image of 2.5 gigapixels in a few bytes."""
    head = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(1 << 20), 9)), (b"IEND", b"")])


def glb(document, binary=b""):
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def box(mode=4, uri=None):
    """A document with a box that has colours and a texture, and its binary data."""
    parts = [
        b"".join(struct.pack("<3f", *corner) for corner in CORNERS),
        b"".join(struct.pack("<2f", x, y) for x, y, _ in CORNERS),
        b"".join(struct.pack("<3f", x, y, z) for x, y, z in CORNERS),
        b"".join(struct.pack("<3H", *face) for face in FACES),
        picture(),
    ]
    views, binary = [], b""
    for part in parts:
        binary += b"\0" * (-len(binary) % 4)
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(part)})
        binary += part
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "rotation": [0, 0.38, 0, 0.92], "children": [1]}, {"mesh": 0, "translation": [2, 0, 0], "scale": [1, 2, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1, "COLOR_0": 2}, "indices": 3, "material": 0, "mode": mode}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5126, "count": 8, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 3, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [{"bufferView": 4, "mimeType": "image/png"}],
        "bufferViews": views, "buffers": [{"byteLength": len(binary)}],
    }
    if uri:
        document["images"] = [{"uri": uri}]
    return document, binary


def embedded(document, binary):
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    return json.dumps(document).encode()


def text_of(kind):
    """The box as OBJ, PLY or STL with text."""
    if kind == "obj":
        lines = ["# box"] + [f"v {x} {y} {z}" for x, y, z in CORNERS] + ["vt 0 0", "vt 1 1"]
        lines += ["f " + " ".join(f"{corner + 1}/1" for corner in face) for face in FACES] + ["f -1 -2 -3"]
    elif kind == "ply":
        lines = ["ply", "format ascii 1.0", "element vertex 8", *(f"property float {axis}" for axis in "xyz")]
        lines += ["element face 12", "property list uchar int vertex_indices", "end_header"]
        lines += [f"{x} {y} {z}" for x, y, z in CORNERS] + ["3 %d %d %d" % face for face in FACES]
    else:
        lines = ["solid box"]
        for face in FACES:
            lines += ["facet normal 0 0 1", "outer loop", *("vertex %d %d %d" % CORNERS[corner] for corner in face), "endloop", "endfacet"]
        lines.append("endsolid box")
    return "\n".join(lines).encode() + b"\n"


def binary_ply():
    head = "ply\nformat binary_little_endian 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
    head += "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n"
    points = b"".join(struct.pack("<3f3B", *corner, 200, 100, 50) for corner in CORNERS)
    return head.encode() + points + b"".join(struct.pack("<B3i", 3, *face) for face in FACES)


def points_ply():
    head = "ply\nformat binary_little_endian 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    return head.encode() + b"".join(struct.pack("<3f", *corner) for corner in CORNERS)


def binary_stl(count=None):
    body = b"".join(struct.pack("<12fH", 0, 0, 1, *(v for corner in face for v in CORNERS[corner]), 0) for face in FACES)
    return bytes(80) + struct.pack("<I", len(FACES) if count is None else count) + body


def stage(folder, form):
    """The box with a texture as a USDZ package, whose layer is a text or binary."""
    layer, package = os.path.join(folder, "box." + form), os.path.join(folder, form + ".usdz")
    with open(os.path.join(folder, "skin.png"), "wb") as file:
        file.write(picture())
    made = Usd.Stage.CreateNew(layer)
    UsdGeom.SetStageUpAxis(made, UsdGeom.Tokens.z)
    mesh = UsdGeom.Mesh.Define(made, "/box/mesh")
    made.SetDefaultPrim(made.GetPrimAtPath("/box"))
    mesh.CreatePointsAttr([Gf.Vec3f(*corner) for corner in CORNERS])
    mesh.CreateFaceVertexCountsAttr([3] * len(FACES))
    mesh.CreateFaceVertexIndicesAttr([corner for face in FACES for corner in face])
    coordinates = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.vertex)
    coordinates.Set([Gf.Vec2f(x, y) for x, y, _ in CORNERS])
    look = UsdShade.Material.Define(made, "/box/look")
    surface, skin = UsdShade.Shader.Define(made, "/box/look/surface"), UsdShade.Shader.Define(made, "/box/look/skin")
    surface.CreateIdAttr("UsdPreviewSurface")
    skin.CreateIdAttr("UsdUVTexture")
    skin.CreateInput("file", Sdf.ValueTypeNames.Asset).Set("./skin.png")
    colour = surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    colour.ConnectToSource(skin.CreateOutput("rgb", Sdf.ValueTypeNames.Float3))
    look.CreateSurfaceOutput().ConnectToSource(surface.CreateOutput("surface", Sdf.ValueTypeNames.Token))
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(look)
    made.GetRootLayer().Save()
    UsdUtils.CreateNewUsdzPackage(layer, package)
    with open(package, "rb") as file:
        return file.read()


def whole_models(folder):
    """Valid models, with their formats."""
    document, binary = box()
    strip, _ = box(mode=5)
    cloud, _ = box(mode=0)
    cloud["meshes"][0]["primitives"][0].pop("material")
    sparse, _ = box()
    sparse["accessors"][1]["sparse"] = {
        "count": 2, "indices": {"bufferView": 3, "componentType": 5123}, "values": {"bufferView": 1}}
    return [
        *(("glb", glb(made, binary)) for made in (document, strip, cloud, sparse)),
        ("gltf", embedded(*box())), ("obj", text_of("obj")), ("ply", text_of("ply")), ("ply", binary_ply()), ("ply", points_ply()),
        ("stl", text_of("stl")), ("stl", binary_stl()), ("usdz", stage(folder, "usda")), ("usdz", stage(folder, "usdc")),
    ]


def package(entries, compression=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return file.getvalue()


MESH = 'point3f[] points = [(0,0,0),(1,0,0),(0,1,0)]\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,1,2]\n'


def layer(content, head=""):
    return f"#usda 1.0\n(\n{head}\n)\n{content}\n".encode()


def hostile_models(folder, whole):
    """Models made to harm: bombs, recursion, huge counts, references to other files, and two formats in one."""
    yield from bombs_of_gltf()
    yield from bombs_of_text()
    yield from bombs_of_usdz()
    yield from references(folder)
    for form, data in whole:
        for other, foreign in whole:
            if other != form:
                yield form, foreign
                yield form, data + foreign
                yield form, foreign[:64] + data
        for length in range(0, len(data), max(1, len(data) // 40)):
            yield form, data[:length]


def bombs_of_gltf():
    for key, value in [
        ("count", 1 << 31), ("count", 1 << 62), ("count", 10**40), ("count", -1), ("byteOffset", -8), ("byteOffset", 1 << 40), ("type", "MAT4"),
        ("componentType", 5120), ("bufferView", -1), ("bufferView", None),
    ]:
        for index in (0, 3):
            document, binary = box()
            document["accessors"][index][key] = value
            yield "glb", glb(document, binary)
            yield "gltf", embedded(document, binary)
    document, binary = box()
    del document["accessors"][0]["bufferView"]
    document["accessors"][0]["count"] = 200_000_000
    yield "glb", glb(document, binary)
    for stride in (0, -12, 1, 1 << 33):
        document, binary = box()
        document["bufferViews"][0]["byteStride"] = stride
        yield "glb", glb(document, binary)
    # Nodes that contain themselves, and nodes that double at each level.
    document, binary = box()
    document["nodes"][1]["children"] = [0]
    yield "glb", glb(document, binary)
    document, binary = box()
    document["nodes"] = [{"children": [index + 1] * 2} for index in range(60)] + [{"mesh": 0}]
    yield "glb", glb(document, binary)
    document, binary = box()
    document["nodes"] = [{"mesh": 0} for _ in range(200_000)]
    document["scenes"] = [{"nodes": list(range(200_000))}]
    yield "glb", glb(document, binary)
    for text in (b"[" * 500_000, b'{"a":' * 500_000, b'{"nodes":' + b"9" * 1_000_000 + b"}", b"\xff" * 64, b"NaN", b"{}", b"[]"):
        yield "glb", glb(text)
        yield "gltf", text
    document, binary = box()
    document["buffers"][0] = {"byteLength": 1 << 50}
    yield "gltf", json.dumps(document).encode()
    for content in (huge_picture(), b"PK\3\4" + bytes(64)):
        document, binary = box()
        document["bufferViews"][4].update(byteOffset=len(binary), byteLength=len(content))
        yield "glb", glb(document, binary + content)
    huge, tiny = struct.pack("<3f", 3e38, -3e38, 3e38), struct.pack("<3f", 1e-45, 0, float("nan"))
    for numbers in (huge, tiny):
        document, binary = box()
        yield "glb", glb(document, numbers + binary[12:])


def bombs_of_text():
    for count in (0, -1, 1 << 31, 1 << 62, 10**30):
        for form in ("ascii", "binary_little_endian", "binary_big_endian"):
            head = f"ply\nformat {form} 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\n"
            yield "ply", (head + f"element face {count}\nproperty list uint int vertex_indices\nend_header\n").encode() + b"\xff" * 400
    yield "ply", b"ply\nformat ascii 1.0\nelement vertex 1\n" + b"".join(b"property double p%d\n" % index for index in range(200_000)) + b"end_header\n1\n"
    yield "ply", b"ply\n" + b"comment " + b"a" * 10_000_000 + b"\nend_header\n"
    for count in (0, 1 << 31, 0xFFFFFFFF):
        yield "stl", binary_stl(count)
    yield "stl", b"solid " + b"facet normal " * 500_000
    yield "stl", b"solid a\n" + b"facet normal 0 0 1\nouter loop\n" * 200_000
    corners = b"".join(b"v %d 0 %d\n" % (index, index % 7) for index in range(2_000))
    yield "obj", corners + b"f " + b" ".join(b"%d" % (index % 2_000 + 1) for index in range(1_000_000)) + b"\n"
    yield "obj", corners + b"f 1 2 \\\n" * 400_000
    yield "obj", b"v 0 0 0\n" * 1_000_000 + b"f 1 999999999999999999999999 2\nf -9999999 0 1\n"
    yield "obj", b"v " + b"9" * 1_000_000 + b" 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    yield "obj", b"g " + b"\ng ".join(b"%d" % index for index in range(300_000)) + b"\nv 0 0 0\n"
    yield "obj", b"\n" * 5_000_000


def bombs_of_usdz():
    triangle = f'def Mesh "m" {{\n{MESH}}}'
    for content in (
        'def Xform "a" {' * 2_000 + "}" * 2_000,
        'def Xform "a" {' * 100_000,
        'def Xform "a" (references = </a>) {}',
        'def Xform "a" (references = @./a.usda@) { %s }' % triangle,
        'def Xform "a" (references = </b>) {}\ndef Xform "b" (references = </a>) {}',
        "".join(f'def Xform "a{index}" {{ def "x" (references = </a{index + 1}>) {{}} def "y" (references = </a{index + 1}>) {{}} }}\n'
                for index in range(24)) + 'def Xform "a24" { %s }' % triangle,
        'def Mesh "m" { point3f[] points = [%s]\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,1,2] }'
        % ",".join(["(0,0,1e38)"] * 300_000),
        'def Mesh "m" { point3f[] points = [(0,0,0)]\nint[] faceVertexCounts = [2147483647]\nint[] faceVertexIndices = [0] }',
        'def Mesh "m" { point3f[] points = [(0,0,0)]\nint[] faceVertexCounts = [-3]\nint[] faceVertexIndices = [0,1,2] }',
        'def Mesh "m" { point3f[] points = [(nan,inf,0)]\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,0,0] }',
        'def Mesh "m" { string s = "%s"\n%s}' % ("a" * 5_000_000, MESH),
        'def Mesh "m" { int64[] points = [1]\n}',
    ):
        yield "usdz", package([("a.usda", layer(content))])
    yield "usdz", package([("a.usda", layer(triangle, "subLayers = [@./a.usda@, @./b.usda@]")), ("b.usda", layer("", "subLayers = [@./a.usda@]"))])
    # Entries that grow a thousandfold, many entries, packages in packages, and names that leave the folder.
    zeros = layer(triangle) + bytes(300 << 20)
    yield "usdz", package([("a.usda", zeros)], zipfile.ZIP_DEFLATED)
    skin = layer('def Mesh "m" (prepend apiSchemas = ["MaterialBindingAPI"]) {\n%srel material:binding = </k>\n}\n' % MESH + (
        'def Material "k" { token outputs:surface.connect = </k/s.outputs:surface>\ndef Shader "s" {\n'
        'uniform token info:id = "UsdPreviewSurface"\ncolor3f inputs:diffuseColor.connect = </k/t.outputs:rgb>\ntoken outputs:surface\n}\n'
        'def Shader "t" {\nuniform token info:id = "UsdUVTexture"\nasset inputs:file = @./a.png@\nfloat3 outputs:rgb\n} }'))
    yield "usdz", package([("a.usda", skin), ("a.png", bytes(300 << 20))], zipfile.ZIP_DEFLATED)
    yield "usdz", package([("a.usda", skin), ("a.png", huge_picture())])
    yield "usdz", package([("a.usda", layer(triangle))] + [(f"{index}.png", b"") for index in range(60_000)])
    nested = package([("a.usda", layer(triangle))])
    for _ in range(30):
        nested = package([("a.usdz", nested), ("b.usda", layer('def "x" (references = @./a.usdz@) {}'))])
    yield "usdz", nested
    for name in ("../../escape.usda", "/escape.usda", "a\0.usda", "a.usda/../../b"):
        yield "usdz", package([(name, layer(triangle))])


def references(folder):
    """Models that refer to a file outside themselves."""
    image, other = os.path.join(folder, "secret.png"), os.path.join(folder, "secret.usda")
    with open(image, "wb") as file:
        file.write(picture(SECRET_COLOUR) + SECRET)
    material = os.path.join(folder, "secret.mtl")
    with open(material, "wb") as file:
        file.write(b"newmtl a\nmap_Kd " + image.encode() + b"\n# " + SECRET)
    with open(other, "wb") as file:
        file.write(layer('def Mesh "m" { color3f[] primvars:displayColor = [(0.98,0.01,0.7)]\n%s}' % MESH))
    buffer = os.path.join(folder, "secret.bin")
    with open(buffer, "wb") as file:
        file.write(SECRET + bytes(1024))
    for place in (image, "file://" + image, "../" * 12 + image[1:], "http://127.0.0.1:9/a.png", "//127.0.0.1/a.png"):
        document, binary = box(uri=place)
        yield "glb", glb(document, binary)
        yield "gltf", embedded(*box(uri=place))
        yield "obj", b"mtllib " + place.encode() + b"\nusemtl a\n" + text_of("obj")
        yield "obj", b"call " + place.encode() + b"\nmaplib " + place.encode() + b"\n" + text_of("obj")
        yield "ply", text_of("ply").replace(b"element", b"comment TextureFile " + place.encode() + b"\nelement", 1)
    yield "obj", b"mtllib " + material.encode() + b"\nusemtl a\n" + text_of("obj")
    for place in (buffer, "file://" + buffer):
        document, binary = box()
        document["buffers"][0]["uri"] = place
        yield "gltf", json.dumps(document).encode()
        yield "glb", glb(document, binary)
    for place in (other, "file://" + other, "../" * 12 + other[1:], "http://127.0.0.1:9/a.usda"):
        yield "usdz", package([("a.usda", layer(f'def "x" (references = @{place}@</m>) {{}}'))])
        yield "usdz", package([("a.usda", layer(f'def Mesh "m" {{\n{MESH}}}', f"subLayers = [@{place}@]"))])
        yield "usdz", package([("a.usda", layer(f'def "x" (payload = @{place}@</m>) {{}}'))])
