// GEOS' STRtree with prepared geometries, through its C API, from the library that shapely's wheel brings (no headers).
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Reads what fences.py wrote and builds tree and prepared geometries: circles and lines are buffered, in degrees.
/// Returns the number of fences; -1 where the library or the file cannot be read.
long cgeos_load(const char *library, const char *file);

/// For each point (longitude, latitude) the tree is asked, and each prepared geometry that it names.
/// Returns how many polygons contain a point; `all` counts buffered circles and lines too.
long cgeos_count(const double *points, size_t count, long *all);
