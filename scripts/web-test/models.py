"""Tests of 3D models: a model is added to a document, opened, and measured."""
import json
import struct

from suite import test


def box(path):
    """Writes a box of 2 x 1 x 0.5 m as binary glTF."""
    corners = [(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 0.5)]
    faces = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]
    data = b"".join(struct.pack("<3f", *corner) for corner in corners) + struct.pack("<36H", *faces)
    text = json.dumps({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": len(data)}],
        "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [2, 1, 0.5]},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A) + text)
        file.write(struct.pack("<II", len(data), 0x004E4942) + data)
    return path


@test
def model_of_a_document_is_opened_and_measured(browser):
    path = box(browser.stage.folder + "/box.glb")
    browser.sign_in("maintenance")
    browser.go("/documents/new?of.id=VAN-007")
    browser.element("#field-kind")
    browser.script("const field = document.getElementById('field-kind'); field.value = 'model'; field.dispatchEvent(new Event('input', {bubbles: true}))")
    browser.all("#field-fileIds")[0].send_keys(path)
    browser.element(".files .name", "box.glb")
    browser.click(".files .button", "Show in 3D")
    browser.element("#model-first")
    facts = browser.element(".model .facts").text
    assert "2 m × 1 m × 0.5 m" in facts and "Vertices 8" in facts and "Triangles 12" in facts, facts
    # By keyboard: vertices 1 and 8 are opposite corners, √(4 + 1 + 0.25) m apart.
    for field, vertex in (("#model-first", "1"), ("#model-second", "8")):
        browser.fill(field, vertex)
    browser.sees("Distance: 2.291 m")
    # By pointer: the first click begins a new measure.
    canvas = browser.element(".model canvas")
    browser.script("""
        const canvas = arguments[0], place = canvas.getBoundingClientRect();
        for (const part of [0.48, 0.52]) {
          const at = { clientX: place.left + place.width * part, clientY: place.top + place.height / 2, pointerId: 1, button: 0, bubbles: true, isPrimary: true };
          canvas.setPointerCapture = canvas.releasePointerCapture = () => {};
          canvas.dispatchEvent(new PointerEvent("pointerdown", at));
          canvas.dispatchEvent(new PointerEvent("pointerup", at));
        }""", canvas)
    browser.until(lambda: 0 < float(browser.element(".distance", "Distance").text.split()[1]) < 1, "the distance of the clicks")
    browser.script("arguments[0].focus()", canvas)
    canvas.send_keys("\ue012+")
    found = browser.script("return document.querySelector('dialog.model').getBoundingClientRect().right <= innerWidth")
    assert found, "the dialog is wider than the window"
    # The draft of the form ends with it.
    browser.click(".model [aria-label=Close]")
    browser.click(".form .actions .button", "Cancel")
    return ["GPU stall", "WebGL", "GL Driver"]
