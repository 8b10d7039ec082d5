/// Reads Wavefront OBJ: the vertices; and the faces, lines and points, which refer to vertices.
///
/// A material library (`mtllib`) is another file. It is not read; only the names of materials are counted.
struct OBJReader {
  private var facts = ModelFacts(.obj)
  private var text: ModelText
  /// The numbers of vertices, texture coordinates and normals that were read, in this order.
  private var counts = [0, 0, 0]
  /// The largest indices that refer to a vertex, to a texture coordinate and to a normal, in this order. Each is stored
  /// with the number of the line that contains it.
  private var largest = [(index: 0, line: 0), (index: 0, line: 0), (index: 0, line: 0)]
  private var (faces, triangles): (Int, Int) = (0, 0)
  private var materials: Set<String> = []

  static func facts(_ bytes: ModelBytes) throws(ModelError) -> ModelFacts {
    var reader = OBJReader(bytes)
    try reader.read()
    return reader.facts
  }

  private init(_ bytes: ModelBytes) { text = ModelText(bytes) }

  private mutating func read() throws(ModelError) {
    while try text.next(joins: true) {
      guard !text.words.isEmpty else { continue }
      if text.word(0, is: "v") {
        let (x, y, z) = (try text.double(1), try text.double(2), try text.double(3))
        // A colour or a weight may follow.
        for word in 4..<max(4, text.words.count) { _ = try text.double(word) }
        if x.isFinite, y.isFinite, z.isFinite { facts.localBox.add(x, y, z) }
        counts[0] += 1
        try ModelLimits.check(counts[0], ModelLimits.vertices, "vertices", text.place)
      } else if text.word(0, is: "vt") {
        try numbers(1)
        counts[1] += 1
      } else if text.word(0, is: "vn") {
        try numbers(3)
        counts[2] += 1
      } else if text.word(0, is: "f") {
        let corners = try corners(atLeast: 3)
        faces += 1
        triangles += corners - 2
        try ModelLimits.check(triangles, ModelLimits.triangles, "triangles", text.place)
      } else if text.word(0, is: "l") {
        _ = try corners(atLeast: 2)
      } else if text.word(0, is: "p") {
        _ = try corners(atLeast: 1)
      } else if text.word(0, is: "usemtl"), text.words.count > 1 {
        materials.insert(text.text(1))
        try ModelLimits.check(materials.count, 65_536, "materials", text.place)
      }
    }
    // Programs that export no normals or no texture coordinates at all may refer to them nevertheless. Such references
    // are ignored.
    for (kind, name) in ["vertex", "texture coordinate", "normal"].enumerated()
    where (kind == 0 || counts[kind] > 0) && largest[kind].index > counts[kind] {
      throw ModelError(
        .reference, "line \(largest[kind].line)",
        "there is no \(name) \(largest[kind].index); the file has \(counts[kind])")
    }
    guard counts[0] > 0 else { throw ModelError(.malformed, "", "expected at least one vertex") }
    (facts.vertices, facts.textureCoordinates, facts.normals) = (counts[0], counts[1], counts[2])
    (facts.faces, facts.triangles, facts.materials) = (faces, triangles, materials.count)
    facts.box = facts.localBox
  }

  private func numbers(_ least: Int) throws(ModelError) {
    for word in 1..<max(least + 1, text.words.count) { _ = try text.double(word) }
  }

  /// Checks the references to vertices in a face, a line or a list of points, and returns the number of references.
  private mutating func corners(atLeast least: Int) throws(ModelError) -> Int {
    let count = text.words.count - 1
    guard count >= least else {
      throw ModelError(.malformed, text.place, "expected at least \(least) corners, found \(count)")
    }
    try ModelLimits.check(count, ModelLimits.corners, "corners", text.place)
    for word in 1...count {
      let (vertex, coordinate, normal, _) = try text.integers(word)
      guard let vertex else { throw ModelError(.malformed, text.place, "expected the index of a vertex") }
      try check(vertex, 0)
      if let coordinate { try check(coordinate, 1) }
      if let normal { try check(normal, 2) }
    }
    return count
  }

  /// Checks an index, which counts from 1, or from the end if it is negative.
  private mutating func check(_ index: Int, _ kind: Int) throws(ModelError) {
    guard index != 0 else { throw ModelError(.malformed, text.place, "indices begin at 1, found 0") }
    guard index >= -counts[kind] || kind > 0 && counts[kind] == 0 else {
      throw ModelError(.reference, text.place, "expected a relative index of at least -\(counts[kind]), found \(index)")
    }
    if index > largest[kind].index { largest[kind] = (index, text.number) }
  }
}
