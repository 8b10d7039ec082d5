#!/usr/bin/python3
"""Converts and draws damaged 3D models, and those made to harm, with the program that does so for uploads, as helper_fuzz.py
describes.

model-fuzz.py [COUNT] [SEED] [FOLDER]

FOLDER: more models to damage, such as ../shared/data/models3d. A model that refers to a file outside itself must not get the
content of that file into its copies. The converters are in .tools/models (scripts/install.sh models).
"""

import glob
import io
import os
import sys
import tempfile

import helper_fuzz
import images

sys.path.append(os.path.join(helper_fuzz.ROOT, ".tools/models"))

import convert_usd  # noqa: E402
import drawing  # noqa: E402
import hostile_models  # noqa: E402
import models  # noqa: E402
from PIL import Image  # noqa: E402

FORMATS = ("glb", "gltf", "obj", "ply", "stl", "usdz")
MARKS = [
    b"glTF", b"JSON", b"BIN\0", b'"bufferView":', b'"count":', b'"children":[0]', b"\nf 1 2 3\n", b"\nv 1e308 0 0\n", b"element vertex ",
    b"property list uchar int ", b"end_header\n", b"solid ", b"PK\1\2", b"PK\5\6", b"#usda 1.0", b"def Mesh", b"@./a.usda@", b"PXR-USDC",
]
# Most posters are drawn in this size, because the size changes nothing but the time.
SMALL = (80, 60)
WHOLE_SIZE = (drawing.WIDTH, drawing.HEIGHT)


def check(version, copy):
    """The fault of a copy: an image with another size, an invalid head of binary glTF, or the content of a foreign file."""
    if hostile_models.SECRET in copy:
        return "the content of a foreign file"
    if version["mediaType"] == "model/gltf-binary":
        is_whole = copy[:4] == b"glTF" and int.from_bytes(copy[8:12], "little") == len(copy)
        return None if is_whole else "not binary glTF"
    with Image.open(io.BytesIO(copy), formats=("PNG",)) as image:
        image.load()
        if image.size != (version["width"], version["height"]) or image.text:
            return f"a copy differs from {version}"
        if hostile_models.SECRET_COLOUR in {colour[:3] for _, colour in image.getcolors(1 << 20) or ()}:
            return "the colours of a foreign image"
    return None


def more_models(folder):
    for path in sorted(glob.glob(folder + "/*")):
        form = path.rsplit(".", 1)[-1].lower()
        if form in FORMATS and 0 < os.path.getsize(path) < 1 << 20:
            with open(path, "rb") as file:
                yield form, file.read()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20_261_128
    with tempfile.TemporaryDirectory() as folder:
        # The sandbox has a folder of its own for this file.
        convert_usd.PLACE = os.path.join(folder, "model.usdz")
        whole = hostile_models.whole_models(folder)
        for form, data in whole:
            # Modules that are loaded on first use are loaded here, so that not each process loads them.
            models.copies(data, form)
            outcome = helper_fuzz.run(data, ["model", form], images.MODEL_MEMORY, check)
            if outcome.kind != "copied":
                sys.exit(f"model-fuzz.py: an undamaged {form} model was {outcome.kind}: {outcome.fault}")
        hostile = list(hostile_models.hostile_models(folder, whole))
        if len(sys.argv) > 3:
            whole += more_models(sys.argv[3])
        kinds = {form: [data for other, data in whole if other == form] for form in FORMATS}

        def model(number, chance):
            drawing.WIDTH, drawing.HEIGHT = SMALL if number % 100 else WHOLE_SIZE
            if number < len(hostile):
                form, data = hostile[number]
            else:
                form = FORMATS[number % len(FORMATS)]
                data = helper_fuzz.damaged(kinds[form], chance, MARKS)
            return data, ["model", form]

        helper_fuzz.main("model-fuzz.py", "model", count, seed, model, images.MODEL_MEMORY, check)


if __name__ == "__main__":
    main()
