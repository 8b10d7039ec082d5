"""Decodes an uploaded image, and writes copies that the server itself has encoded.

    images.py copies [--position]  < IMAGE     a copy of the whole image and a thumbnail, both upright and without metadata
    images.py receipt              < IMAGE     what a receipt says, as receipts.py reads it
    images.py model FORMAT         < MODEL     images of a 3D model, and the model as binary glTF, as models.py makes them
    images.py vin                  < IMAGE     the VIN on its plate or barcode, as photos.py reads it
    images.py odometer             < IMAGE     the odometer among the instruments
    images.py check                            an empty answer, which shows that the sandbox works

The server runs this in a sandbox without network and files, because decoders of images have errors. The answer on stdout is
the length of a JSON object in 4 bytes (most significant first), the object, and then the copies that it lists, one after
another. An image that cannot be used is an answer, too: {"error": "…"}.
"""

import ctypes
import ctypes.util
import io
import json
import os
import resource
import struct
import sys

# The limits of this process. The server ends it after a time limit of its own.
MEMORY = 1 << 30
CPU_SECONDS = 30
# Libraries for 3D models reserve more memory than they use.
MODEL_MEMORY = 3 << 30
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 20_000
# The longest sides of the copies, pixels.
FULL, THUMBNAIL = 4_096, 320


class Unusable(Exception):
    """The image cannot be used. The text is for people."""


def limit(memory):
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(10)


def check_size(width, height):
    if width < 1 or height < 1 or max(width, height) > LONGEST_SIDE or width * height > MOST_PIXELS:
        raise Unusable(f"expected at most {MOST_PIXELS // 1_000_000} megapixels, found {width} x {height}")


# HEIC, with libheif: Pillow cannot decode it.


class HeifError(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("subcode", ctypes.c_int), ("message", ctypes.c_char_p)]


def decode_heic(data):
    """Returns the image, which libheif has turned upright, and its EXIF data."""
    from PIL import Image

    try:
        heif = ctypes.CDLL("libheif.so.1")
    except OSError:
        raise Unusable("this server cannot decode HEIC: install libheif1") from None
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in [
        ("heif_context_alloc", pointer, []),
        ("heif_context_read_from_memory_without_copy", HeifError, [pointer, text, ctypes.c_size_t, pointer]),
        ("heif_context_get_primary_image_handle", HeifError, [pointer, ctypes.POINTER(pointer)]),
        ("heif_image_handle_get_width", ctypes.c_int, [pointer]),
        ("heif_image_handle_get_height", ctypes.c_int, [pointer]),
        ("heif_image_handle_get_list_of_metadata_block_IDs", ctypes.c_int, [pointer, text, pointer, ctypes.c_int]),
        ("heif_image_handle_get_metadata_size", ctypes.c_size_t, [pointer, ctypes.c_uint32]),
        ("heif_image_handle_get_metadata", HeifError, [pointer, ctypes.c_uint32, pointer]),
        ("heif_decode_image", HeifError, [pointer, ctypes.POINTER(pointer), ctypes.c_int, ctypes.c_int, pointer]),
        ("heif_image_get_width", ctypes.c_int, [pointer, ctypes.c_int]),
        ("heif_image_get_height", ctypes.c_int, [pointer, ctypes.c_int]),
        ("heif_image_get_plane_readonly", pointer, [pointer, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]),
    ]:
        function = getattr(heif, name)
        function.restype, function.argtypes = result, arguments

    def require(error):
        if error.code != 0:
            raise Unusable(f"not a valid HEIC image: {(error.message or b'').decode(errors='replace')}")

    context, handle, image = heif.heif_context_alloc(), pointer(), pointer()
    require(heif.heif_context_read_from_memory_without_copy(context, data, len(data), None))
    require(heif.heif_context_get_primary_image_handle(context, ctypes.byref(handle)))
    check_size(heif.heif_image_handle_get_width(handle), heif.heif_image_handle_get_height(handle))
    exif = b""
    block = ctypes.c_uint32()
    if heif.heif_image_handle_get_list_of_metadata_block_IDs(handle, b"Exif", ctypes.byref(block), 1) == 1:
        size = heif.heif_image_handle_get_metadata_size(handle, block)
        if 4 < size <= 1 << 20:
            buffer = ctypes.create_string_buffer(size)
            require(heif.heif_image_handle_get_metadata(handle, block, buffer))
            # The first four bytes are the offset of the TIFF header.
            start = 4 + struct.unpack(">I", buffer.raw[:4])[0]
            exif = buffer.raw[start:]
    # Colour space 1 is RGB, chroma 10 is interleaved RGB with 8 bits, channel 10 is the interleaved plane.
    require(heif.heif_decode_image(handle, ctypes.byref(image), 1, 10, None))
    width, height = heif.heif_image_get_width(image, 10), heif.heif_image_get_height(image, 10)
    check_size(width, height)
    stride = ctypes.c_int()
    plane = heif.heif_image_get_plane_readonly(image, 10, ctypes.byref(stride))
    pixels = ctypes.string_at(plane, stride.value * height)
    return Image.frombytes("RGB", (width, height), pixels, "raw", "RGB", stride.value), exif


def decode(data):
    """Returns the upright RGB image and its EXIF data."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    if data[4:8] == b"ftyp":
        image, block = decode_heic(data)
        exif = Image.Exif()
        if block:
            exif.load(block if block.startswith(b"Exif") else b"Exif\0\0" + block)
        return image, exif
    image = Image.open(io.BytesIO(data), formats=("JPEG", "PNG", "WEBP"))
    check_size(*image.size)
    exif = image.getexif()
    # Decodes a large JPEG image at half its size or less, which needs less time and memory.
    image.draft("RGB", (FULL, FULL))
    image.load()
    image = ImageOps.exif_transpose(image)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        paper = Image.new("RGB", image.size, "white")
        paper.paste(image, mask=image.getchannel("A"))
        image = paper
    elif image.mode.startswith("I"):
        # 16 bits of grey.
        image = image.point(lambda value: value / 256).convert("L")
    image = image.convert("RGB")
    # Comments and profiles would be written into the copies.
    image.info = {}
    return image, exif


def capture(exif, with_position):
    """Returns the metadata that are kept."""
    found = {}
    taken = str(exif.get_ifd(0x8769).get(0x9003) or "").strip("\0 ")
    digits = taken.replace(":", "").replace(" ", "")
    if len(taken) == 19 and digits.isascii() and digits.isdigit() and digits.strip("0"):
        found["takenAt"] = f"{taken[:4]}-{taken[5:7]}-{taken[8:10]}T{taken[11:]}"
    if with_position:
        gps = exif.get_ifd(0x8825)
        for key, name, negative, limit in [(2, "latitude", "S", 90), (4, "longitude", "W", 180)]:
            if key not in gps:
                continue
            degrees, minutes, seconds = (float(part) for part in gps[key])
            value = degrees + minutes / 60 + seconds / 3600
            if 0 <= value <= limit:
                found[name] = round(-value if str(gps.get(key - 1)).startswith(negative) else value, 6)
    return found


def encoded(image, side, quality):
    from PIL import Image

    copy = image
    if max(image.size) > side:
        copy = image.copy()
        copy.thumbnail((side, side), Image.LANCZOS, reducing_gap=3)
    file = io.BytesIO()
    copy.save(file, "JPEG", quality=quality, progressive=False)
    return copy.size, file.getvalue()


def copies(data, with_position):
    image, exif = decode(data)
    try:
        kept = capture(exif, with_position)
    except Exception:
        # Metadata that cannot be read are not kept.
        kept = {}
    listed, bodies = [], []
    for name, side, quality in [("full", FULL, 88), ("thumbnail", THUMBNAIL, 80)]:
        (width, height), body = encoded(image, side, quality)
        listed.append(
            {"name": name, "mediaType": "image/jpeg", "width": width, "height": height, "size": len(body)}
        )
        bodies.append(body)
    return {"versions": listed, "capture": kept}, bodies


def answer(data, arguments):
    """The answer for an image, and the copies that follow it."""
    try:
        if arguments[0] == "check":
            return {}, []
        if arguments[0] == "copies":
            return copies(data, "--position" in arguments)
        if arguments[0] == "model":
            try:
                import models
            except ImportError:
                raise Unusable("this server makes no images of 3D models: install python3-numpy") from None

            return models.copies(data, arguments[1])
        image = decode(data)[0]
        if arguments[0] == "receipt":
            import receipts

            found = receipts.read(image)
            if found is None:
                raise Unusable("this server cannot read text: install tesseract-ocr and tesseract-ocr-eng")
            return found, []
        import photos

        return {"vin": photos.vin, "odometer": photos.odometer}[arguments[0]](image), []
    except Unusable as error:
        return {"error": str(error)}, []
    except MemoryError:
        return {"error": "decoding it needs too much memory"}, []
    except TimeoutError:
        return {"error": "reading it takes too long"}, []
    except Exception as error:
        # Any error of a decoder: the image is damaged, or made to harm.
        kind = "model" if arguments[0] == "model" else "image"
        return {"error": f"not a valid {kind} ({type(error).__name__})"}, []


def main():
    limit(MODEL_MEMORY if sys.argv[1] == "model" else MEMORY)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    found, bodies = answer(sys.stdin.buffer.read(), sys.argv[1:])
    head = json.dumps(found).encode()
    sys.stdout.buffer.write(struct.pack(">I", len(head)) + head + b"".join(bodies))


if __name__ == "__main__":
    main()
