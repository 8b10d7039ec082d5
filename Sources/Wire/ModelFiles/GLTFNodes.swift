import JSONText

extension GLTFChecker {
  /// Checks that nodes form trees, and that their transforms are valid.
  mutating func checkNodes() throws(ModelError) {
    var parents: [Int?] = Array(repeating: nil, count: nodes.count)
    for (index, node) in nodes.enumerated() {
      let place = "nodes[\(index)]"
      for (number, child) in (node["children"].map { Array($0.elements) } ?? []).enumerated() {
        let child = child.int ?? 0
        guard parents[child] == nil else {
          throw ModelError(.malformed, "\(place).children[\(number)]", "node \(child) has two parents")
        }
        parents[child] = index
      }
      try checkTransform(node, place)
      let mesh = node["mesh"]?.int.map { meshes[$0] }
      if node["skin"] != nil {
        guard let mesh else { throw ModelError(.malformed, place + ".skin", "expected the member mesh, too") }
        guard (mesh["primitives"]?.elements.contains { $0["attributes"]?["JOINTS_0"] != nil }) ?? false else {
          throw ModelError(.malformed, place + ".skin", "its mesh has no joints")
        }
      }
      if let weights = node["weights"] {
        guard let mesh else { throw ModelError(.malformed, place + ".weights", "expected the member mesh, too") }
        let targets = mesh["primitives"]?[0]?["targets"]?.count ?? 0
        guard weights.count == targets else {
          throw ModelError(.malformed, place + ".weights", "expected \(targets) elements, found \(weights.count)")
        }
      }
    }
    try checkLoops(parents)
    for (index, scene) in (root["scenes"].map { Array($0.elements) } ?? []).enumerated() {
      for (number, node) in (scene["nodes"].map { Array($0.elements) } ?? []).enumerated() {
        guard parents[node.int ?? 0] == nil else {
          throw ModelError(.malformed, "scenes[\(index)].nodes[\(number)]", "node \(node.int ?? 0) has a parent")
        }
      }
    }
  }

  private func checkLoops(_ parents: [Int?]) throws(ModelError) {
    // For each node, the start of the walk that visited it first; −1 if no walk has visited it.
    var visited = Array(repeating: -1, count: parents.count)
    for start in parents.indices {
      var node = start
      while visited[node] == -1 {
        visited[node] = start
        guard let parent = parents[node] else { break }
        node = parent
        guard visited[node] != start else {
          throw ModelError(.malformed, "nodes[\(node)]", "the node is its own descendant")
        }
      }
    }
  }

  private func checkTransform(_ node: JSONValue, _ place: String) throws(ModelError) {
    if let rotation = node["rotation"] {
      let length = doubles(rotation).reduce(0) { $0 + $1 * $1 }.squareRoot()
      guard abs(length - 1) <= 0.01 else {
        throw ModelError(.malformed, place + ".rotation", "expected a quaternion of length 1, found \(length)")
      }
    }
    guard let value = node["matrix"] else { return }
    guard node["translation"] == nil, node["rotation"] == nil, node["scale"] == nil else {
      throw ModelError(.malformed, place, "expected either matrix, or translation, rotation and scale")
    }
    guard ModelTransform(matrix: doubles(value)).isDecomposable else {
      throw ModelError(.malformed, place + ".matrix", "expected a translation, a rotation and a scale without shear")
    }
  }

  // MARK: Scene

  /// Computes the bounding box of the default scene, after the transforms of its nodes were applied.
  mutating func measureScene() throws(ModelError) {
    let scenes = root["scenes"].map { Array($0.elements) } ?? []
    let scene = scenes.isEmpty ? nil : scenes[root["scene"]?.int ?? 0]
    var children: Set<Int> = []
    for node in nodes { children.formUnion(node["children"]?.elements.compactMap(\.int) ?? []) }
    let roots =
      scene.map { $0["nodes"]?.elements.compactMap(\.int) ?? [] } ?? nodes.indices.filter { !children.contains($0) }
    // Nodes are trees, so that each is visited once.
    var waiting = roots.map { ($0, ModelTransform.identity) }
    while let (index, parent) = waiting.popLast() {
      let node = nodes[index]
      let transform = parent * local(node)
      for child in node["children"]?.elements.compactMap(\.int) ?? [] { waiting.append((child, transform)) }
      guard let mesh = node["mesh"]?.int else { continue }
      for primitive in meshes[mesh]["primitives"]?.elements ?? root.elements {
        guard let position = primitive["attributes"]?["POSITION"]?.int else { continue }
        try measure(accessors[position], transform, "accessors[\(position)]")
      }
    }
  }

  private func local(_ node: JSONValue) -> ModelTransform {
    if let matrix = node["matrix"] { return ModelTransform(matrix: doubles(matrix)) }
    return ModelTransform(
      translation: node["translation"].map { doubles($0) } ?? [0, 0, 0],
      rotation: node["rotation"].map { doubles($0) } ?? [0, 0, 0, 1],
      scale: node["scale"].map { doubles($0) } ?? [1, 1, 1])
  }

  private mutating func measure(_ accessor: GLTFAccessor, _ transform: ModelTransform, _ place: String)
    throws(ModelError)
  {
    guard var elements = GLTFElements(accessor, place), let format = accessor.format else {
      // An extension such as a compression defines the vertices. Their bounds are declared.
      guard let least = accessor.least, let most = accessor.most else { return }
      for corner in 0..<8 {
        add(
          transform, (corner & 1 == 0 ? least : most)[0], (corner & 2 == 0 ? least : most)[1],
          (corner & 4 == 0 ? least : most)[2])
      }
      return
    }
    try count(accessor, place)
    let scale = format.isNormalized ? 1 / (format.component.range?.upperBound ?? 1) : 1
    while try elements.next() {
      add(transform, elements.numbers[0] * scale, elements.numbers[1] * scale, elements.numbers[2] * scale)
    }
  }

  @inline(__always)
  private mutating func add(_ transform: ModelTransform, _ x: Double, _ y: Double, _ z: Double) {
    let (x, y, z) = transform.point(x, y, z)
    if x.isFinite, y.isFinite, z.isFinite { facts.box.add(x, y, z) }
  }
}

/// An affine transform: a matrix with 4 rows and 4 columns. The last row is 0, 0, 0, 1.
struct ModelTransform {
  /// The 16 numbers, column by column.
  let matrix: [Double]

  static let identity = ModelTransform(matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])

  init(matrix: [Double]) { self.matrix = matrix }

  init(translation t: [Double], rotation q: [Double], scale s: [Double]) {
    let (x, y, z, w) = (q[0], q[1], q[2], q[3])
    matrix = [
      (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0,
      2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
      2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0,
      t[0], t[1], t[2], 1,
    ]
  }

  static func * (left: ModelTransform, right: ModelTransform) -> ModelTransform {
    var product = Array(repeating: 0.0, count: 16)
    for column in 0..<4 {
      for row in 0..<4 {
        for index in 0..<4 {
          product[column * 4 + row] += left.matrix[index * 4 + row] * right.matrix[column * 4 + index]
        }
      }
    }
    return ModelTransform(matrix: product)
  }

  @inline(__always)
  func point(_ x: Double, _ y: Double, _ z: Double) -> (Double, Double, Double) {
    (
      matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12],
      matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13],
      matrix[2] * x + matrix[6] * y + matrix[10] * z + matrix[14]
    )
  }

  /// Whether the transform consists of a translation, a rotation and a scale: its axes are at right angles to each
  /// other, and none has length 0.
  var isDecomposable: Bool {
    guard matrix[3] == 0, matrix[7] == 0, matrix[11] == 0, matrix[15] == 1 else { return false }
    let axes = [0, 4, 8].map { Array(matrix[$0..<($0 + 3)]) }
    func dot(_ a: [Double], _ b: [Double]) -> Double { a[0] * b[0] + a[1] * b[1] + a[2] * b[2] }
    let lengths = axes.map { dot($0, $0).squareRoot() }
    guard lengths.allSatisfy({ $0 > 0 && $0.isFinite }) else { return false }
    return [(0, 1), (0, 2), (1, 2)].allSatisfy { abs(dot(axes[$0], axes[$1])) <= 0.001 * lengths[$0] * lengths[$1] }
  }
}
