"""Draws an image of the parts of a model."""

import numpy as np
from model_problem import Problem

# The size of the poster, pixels. It is drawn larger by this factor, and made smaller, so that edges are smooth.
WIDTH, HEIGHT, SMOOTH = 800, 600, 2
# The most pixels that are compared while triangles are drawn.
MOST_FRAGMENTS = 200_000_000
# Triangles of similar size are drawn together; larger ones one after another.
CLASSES = (2, 4, 8, 16, 32)


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
