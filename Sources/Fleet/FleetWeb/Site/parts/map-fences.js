/** Fences in the form in which the map draws them. */

/** Metres of one degree of latitude. */
const degree = 111_320;

/**
 * A ring of points around a centre.
 * @param {number[]} centre
 * @param {number} radius m
 */
export function circle([longitude, latitude], radius) {
  return Array.from({ length: 65 }, (_, step) => {
    const angle = step / 64 * 2 * Math.PI;
    return [longitude + radius / (degree * Math.cos(latitude * Math.PI / 180)) * Math.sin(angle), latitude + radius / degree * Math.cos(angle)];
  });
}

/**
 * Fences as the map draws them: points with a radius as polygons, and lines with a width.
 * @param {any} fences
 */
export function drawn(fences) {
  return {
    ...fences, features: (fences.features ?? []).map((/** @type {any} */ fence) => {
      const { type, coordinates } = fence.geometry ?? {};
      const properties = { ...fence.properties, id: fence.properties?.id ?? fence.id };
      const radius = fence.properties?.radius;
      if (type === "Point" && radius) return { ...fence, properties, geometry: { type: "Polygon", coordinates: [circle(coordinates, radius)] } };
      // At zoom 0, a pixel is 78,271.5 m at the equator.
      if (type === "LineString" && radius && coordinates.length > 0) properties.width = 2 * radius / (78_271.5 * Math.cos(coordinates[0][1] * Math.PI / 180));
      return { ...fence, properties };
    }),
  };
}
