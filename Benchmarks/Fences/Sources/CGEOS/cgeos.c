#include "cgeos.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *handle;
typedef void *geometry;
typedef void (*visitor)(void *item, void *data);

static handle context;
static void *tree;
static geometry (*from_xy)(handle, double, double);
static void (*query)(handle, void *, geometry, visitor, void *);
static char (*intersects)(handle, void *, geometry);
static void (*destroy)(handle, geometry);

struct item {
  void *prepared;
  int kind;
};
static struct item *items;

struct question {
  geometry point;
  long polygons;
  long all;
};

static void ask(void *found, void *data) {
  struct item *item = found;
  struct question *question = data;
  // The fastest way that GEOS has: of a polygon and a point it looks into an index of its edges.
  if (intersects(context, item->prepared, question->point) == 1) {
    question->all++;
    if (item->kind == 0) question->polygons++;
  }
}

long cgeos_load(const char *path, const char *file) {
  void *library = dlopen(path, RTLD_NOW);
  FILE *in = fopen(file, "rb");
  if (!library || !in) return -1;
  handle (*start)(void) = dlsym(library, "GEOS_init_r");
  void *(*make_sequence)(handle, unsigned, unsigned) = dlsym(library, "GEOSCoordSeq_create_r");
  int (*set_xy)(handle, void *, unsigned, double, double) = dlsym(library, "GEOSCoordSeq_setXY_r");
  geometry (*ring)(handle, void *) = dlsym(library, "GEOSGeom_createLinearRing_r");
  geometry (*line)(handle, void *) = dlsym(library, "GEOSGeom_createLineString_r");
  geometry (*polygon)(handle, geometry, geometry *, unsigned) = dlsym(library, "GEOSGeom_createPolygon_r");
  geometry (*buffer)(handle, geometry, double, int) = dlsym(library, "GEOSBuffer_r");
  void *(*prepare)(handle, geometry) = dlsym(library, "GEOSPrepare_r");
  void *(*make_tree)(handle, size_t) = dlsym(library, "GEOSSTRtree_create_r");
  void (*insert)(handle, void *, geometry, void *) = dlsym(library, "GEOSSTRtree_insert_r");
  from_xy = dlsym(library, "GEOSGeom_createPointFromXY_r");
  query = dlsym(library, "GEOSSTRtree_query_r");
  intersects = dlsym(library, "GEOSPreparedIntersects_r");
  destroy = dlsym(library, "GEOSGeom_destroy_r");
  if (!start || !make_sequence || !set_xy || !ring || !line || !polygon || !buffer || !prepare || !make_tree || !insert
      || !from_xy || !query || !intersects || !destroy)
    return -1;
  context = start();
  int64_t count;
  if (fread(&count, sizeof count, 1, in) != 1) return -1;
  items = calloc((size_t)count, sizeof *items);
  tree = make_tree(context, 10);
  for (int64_t index = 0; index < count; index++) {
    // Kind (0 polygon, 1 circle, 2 line), number of corners, degrees of radius, corners.
    int32_t head[2];
    double radius;
    if (fread(head, sizeof head, 1, in) != 1 || fread(&radius, sizeof radius, 1, in) != 1) return -1;
    double *corners = malloc((size_t)head[1] * 2 * sizeof(double));
    if (fread(corners, 2 * sizeof(double), (size_t)head[1], in) != (size_t)head[1]) return -1;
    geometry shape;
    if (head[0] == 1) {
      shape = from_xy(context, corners[0], corners[1]);
    } else {
      void *sequence = make_sequence(context, (unsigned)head[1], 2);
      for (int32_t corner = 0; corner < head[1]; corner++)
        set_xy(context, sequence, (unsigned)corner, corners[2 * corner], corners[2 * corner + 1]);
      shape = head[0] == 2 ? line(context, sequence) : polygon(context, ring(context, sequence), NULL, 0);
    }
    free(corners);
    if (head[0] != 0) {
      geometry wide = buffer(context, shape, radius, 8);
      destroy(context, shape);
      shape = wide;
    }
    items[index].kind = head[0];
    items[index].prepared = prepare(context, shape);
    insert(context, tree, shape, &items[index]);
  }
  fclose(in);
  return (long)count;
}

long cgeos_count(const double *points, size_t count, long *all) {
  struct question question = {0};
  for (size_t index = 0; index < count; index++) {
    question.point = from_xy(context, points[2 * index], points[2 * index + 1]);
    query(context, tree, question.point, ask, &question);
    destroy(context, question.point);
  }
  *all = question.all;
  return question.polygons;
}
