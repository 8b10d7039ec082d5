"""Reads the meshes of a USDZ package with usd-core."""

import io
import posixpath
import tempfile
import zipfile

import numpy as np
import trimesh
from model_problem import Problem
from PIL import Image
from pxr import Usd, UsdGeom, UsdShade, UsdUtils

PLACE = tempfile.gettempdir() + "/model.usdz"
# A larger image is left out, bytes.
MOST_IMAGE_BYTES = 64 << 20


def scene(data):
    """Returns the meshes of the stage in metres, with the y axis up."""
    with open(PLACE, "wb") as file:
        file.write(data)
    layers, assets, missing = UsdUtils.ComputeAllDependencies(PLACE)
    # A file outside the package is also foreign if it exists.
    foreign = [layer.realPath for layer in layers if layer.realPath != PLACE and not layer.realPath.startswith(PLACE + "[")]
    foreign += [asset for asset in assets if not asset.startswith(PLACE + "[")]
    for file in [*missing, *foreign]:
        raise Problem(f"the package refers to a file that it does not contain: {str(file)[:80]}")
    stage = Usd.Stage.Open(PLACE)
    scale = UsdGeom.GetStageMetersPerUnit(stage) if stage.HasAuthoredMetadata("metersPerUnit") else 0.01
    world = np.diag([scale, scale, scale, 1.0])
    if UsdGeom.GetStageUpAxis(stage) == "Z":
        world = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]]) @ world
    cache = UsdGeom.XformCache()
    found = trimesh.Scene()
    archive = zipfile.ZipFile(io.BytesIO(data))
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        if prim.IsA(UsdGeom.Mesh) and UsdGeom.Imageable(prim).ComputeVisibility() != "invisible":
            mesh = converted(UsdGeom.Mesh(prim), archive)
            if mesh is not None:
                # Matrices of USD multiply rows.
                mesh.apply_transform(world @ np.array(cache.GetLocalToWorldTransform(prim)).T)
                found.add_geometry(mesh)
    return found


def converted(mesh, archive):
    points = mesh.GetPointsAttr().Get()
    counts, corners = mesh.GetFaceVertexCountsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
    if not points or not counts or not corners:
        return None
    points, counts, corners = np.array(points, float), np.array(counts), np.array(corners)
    if counts.min() < 0 or counts.sum() != len(corners) or corners.min() < 0 or corners.max() >= len(points):
        raise Problem("a mesh of the package has faces without vertices")
    starts = np.cumsum(counts) - counts
    # Each face with n corners becomes a fan of n - 2 triangles.
    fans = np.maximum(counts - 2, 0)
    face = np.repeat(np.arange(len(counts)), fans)
    step = np.arange(len(face)) - np.repeat(np.cumsum(fans) - fans, fans)
    order = np.stack([starts[face], starts[face] + step + 1, starts[face] + step + 2], 1)
    if mesh.GetOrientationAttr().Get() == "leftHanded":
        order = order[:, ::-1]
    color, image = material(mesh.GetPrim(), archive)
    coordinates = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    coordinates = np.array(coordinates.ComputeFlattened() or []) if coordinates else np.zeros((0, 2))
    if image is not None and len(coordinates) in (len(corners), len(points)):
        # Corners of one vertex may have different coordinates.
        uv = coordinates if len(coordinates) == len(corners) else coordinates[corners]
        look = trimesh.visual.material.PBRMaterial(baseColorTexture=image, metallicFactor=0)
        visual = trimesh.visual.TextureVisuals(uv=uv, material=look)
        return trimesh.Trimesh(points[corners], order, visual=visual, process=False)
    look = trimesh.visual.material.PBRMaterial(baseColorFactor=list(color) + [1.0], metallicFactor=0)
    visual = trimesh.visual.TextureVisuals(material=look)
    return trimesh.Trimesh(points, corners[order], visual=visual, process=False)


def material(prim, archive):
    """Returns the colour and the image of the surface."""
    color = (0.8, 0.8, 0.8)
    bound = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
    surface = bound.ComputeSurfaceSource()[0] if bound else None
    given = surface.GetInput("diffuseColor") if surface else None
    if not given:
        return color, None
    if not given.HasConnectedSource():
        return given.Get() or color, None
    source = UsdShade.Shader(given.GetConnectedSources()[0][0].source.GetPrim())
    file = source.GetInput("file") if source else None
    path = file.Get().path if file and file.Get() else ""
    name = posixpath.basename(path)
    for entry in archive.namelist():
        if posixpath.basename(entry) == name and entry.lower().endswith((".png", ".jpg", ".jpeg")):
            if archive.getinfo(entry).file_size > MOST_IMAGE_BYTES:
                return color, None
            try:
                image = Image.open(io.BytesIO(archive.read(entry)), formats=("PNG", "JPEG"))
                image.thumbnail((4096, 4096))
                return color, image.convert("RGB")
            except (OSError, ValueError):
                # An image that cannot be decoded is left out.
                return color, None
    return color, None
