import JSONText

/// The formats that are allowed for a vertex attribute of a primitive.
private struct GLTFSemantic {
  typealias Component = GLTFFormat.Component
  let types: [String]
  /// The allowed component types. The Boolean states whether the numbers are normalized.
  let components: [(Component, Bool)]

  private static let float: [(Component, Bool)] = [(.float, false)]
  private static let parts: [(Component, Bool)] = [(.float, false), (.uint8, true), (.uint16, true)]
  /// The component types that KHR_mesh_quantization adds for positions and texture coordinates.
  private static let quantized: [(Component, Bool)] = [
    (.int8, false), (.int8, true), (.uint8, false), (.uint8, true), (.int16, false), (.int16, true), (.uint16, false),
    (.uint16, true),
  ]
  private static let quantizedNormals: [(Component, Bool)] = [(.int8, true), (.int16, true)]

  /// Returns the formats that are allowed for an attribute; `nil` for an attribute of an application, whose name begins
  /// with `_`.
  ///
  /// - Throws: `malformed` if glTF defines no attribute of this name.
  static func find(_ name: String, isQuantized: Bool, _ place: String) throws(ModelError) -> GLTFSemantic? {
    if name.hasPrefix("_") { return nil }
    switch name {
    case "POSITION": return Self(types: ["VEC3"], components: float + (isQuantized ? quantized : []))
    case "NORMAL": return Self(types: ["VEC3"], components: float + (isQuantized ? quantizedNormals : []))
    case "TANGENT": return Self(types: ["VEC4"], components: float + (isQuantized ? quantizedNormals : []))
    default: break
    }
    switch base(name) {
    case "TEXCOORD": return Self(types: ["VEC2"], components: parts + (isQuantized ? quantized : []))
    case "COLOR": return Self(types: ["VEC3", "VEC4"], components: parts)
    case "JOINTS": return Self(types: ["VEC4"], components: [(.uint8, false), (.uint16, false)])
    case "WEIGHTS": return Self(types: ["VEC4"], components: parts)
    default: throw ModelError(.malformed, place, "there is no attribute of this name")
    }
  }

  /// Returns the name of an attribute without its number, for example `TEXCOORD` for `TEXCOORD_0`; `nil` if the name
  /// has no number.
  static func base(_ name: String) -> Substring? {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[1]), number >= 0, String(number) == parts[1] else { return nil }
    return parts[0]
  }

  func contains(_ format: GLTFFormat) -> Bool {
    types.contains(format.type) && components.contains { $0 == format.component && $1 == format.isNormalized }
  }
}

extension GLTFChecker {
  private static let vertexTarget = 34_962, indexTarget = 34_963

  mutating func checkMeshes() throws(ModelError) {
    for (number, mesh) in meshes.enumerated() {
      var targets: Int?
      for (index, primitive) in (mesh["primitives"].map { Array($0.elements) } ?? []).enumerated() {
        let place = "meshes[\(number)].primitives[\(index)]"
        let count = primitive["targets"]?.count ?? 0
        guard targets == nil || targets == count else {
          throw ModelError(
            .malformed, place, "expected \(targets ?? 0) morph targets, as in the first primitive, found \(count)")
        }
        targets = count
        try check(primitive, place)
      }
      if let weights = mesh["weights"], weights.count != targets ?? 0 {
        throw ModelError(
          .malformed, "meshes[\(number)].weights", "expected \(targets ?? 0) elements, found \(weights.count)")
      }
    }
    try ModelLimits.check(facts.vertices ?? 0, ModelLimits.vertices, "vertices")
    try ModelLimits.check(facts.triangles ?? 0, ModelLimits.triangles, "triangles")
    facts.vertices = facts.vertices ?? 0
    facts.triangles = facts.triangles ?? 0
  }

  private mutating func check(_ primitive: JSONValue, _ place: String) throws(ModelError) {
    guard let attributes = primitive["attributes"] else { return }
    var count: Int?
    for member in attributes.members {
      let here = "\(place).attributes.\(member.key)"
      let index = member.value.int ?? 0
      try checkAttribute(member.key, index, here)
      guard count == nil || count == accessors[index].count else {
        throw ModelError(
          .malformed, here,
          "expected \(count ?? 0) elements, as in the other attributes, found \(accessors[index].count)")
      }
      count = accessors[index].count
    }
    try checkNumbers(attributes, place)
    try checkTextures(primitive, attributes, place)
    for (number, target) in (primitive["targets"].map { Array($0.elements) } ?? []).enumerated() {
      try checkTarget(target, attributes, count ?? 0, "\(place).targets[\(number)]")
    }
    let vertices = attributes["POSITION"] == nil ? 0 : count ?? 0
    let corners = try checkIndices(primitive, count ?? 0, place) ?? count ?? 0
    let triangles =
      switch primitive["mode"]?.int ?? 4 {
      case 4: corners / 3
      case 5, 6: max(corners - 2, 0)
      default: 0
      }
    facts.vertices = (facts.vertices ?? 0).addingReportingOverflow(vertices).partialValue
    facts.triangles = (facts.triangles ?? 0).addingReportingOverflow(triangles).partialValue
    try ModelLimits.check(facts.vertices ?? 0, ModelLimits.vertices, "vertices", place)
    try ModelLimits.check(facts.triangles ?? 0, ModelLimits.triangles, "triangles", place)
    if let position = attributes["POSITION"]?.int, let least = accessors[position].least,
      let most = accessors[position].most
    {
      facts.localBox.add(least[0], least[1], least[2])
      facts.localBox.add(most[0], most[1], most[2])
    }
  }

  private mutating func checkAttribute(_ name: String, _ index: Int, _ place: String) throws(ModelError) {
    let accessor = accessors[index]
    let isQuantized = extensionsUsed.contains("KHR_mesh_quantization")
    guard let format = accessor.format else { throw ModelError(.malformed, place, "its accessor has an unknown type") }
    if let semantic = try GLTFSemantic.find(name, isQuantized: isQuantized, place) {
      guard semantic.contains(format) else {
        throw ModelError(.malformed, place, "its accessor has a format that is not allowed for \(name)")
      }
    } else if format.component == .uint32 {
      throw ModelError(.malformed, place, "vertex attributes cannot have 32-bit integers")
    }
    if name == "POSITION", accessor.least == nil || accessor.most == nil {
      throw ModelError(.malformed, place, "its accessor needs min and max")
    }
    if let view = accessor.view { try use(view, Self.vertexTarget, index, place) }
    try checkUnits(name, accessor, place)
  }

  /// Stores the purpose for which a buffer view is used, and checks the rules for vertex attributes.
  private mutating func use(_ view: Int, _ target: Int, _ accessor: Int, _ place: String) throws(ModelError) {
    let found = views[view].target ?? views[view].use
    guard found == nil || found == target else {
      throw ModelError(.malformed, place, "its bufferView is used for vertex attributes and for indices")
    }
    views[view].use = target
    guard target == Self.vertexTarget else { return }
    let count = accessors[accessor].format?.count ?? 0
    guard accessors[accessor].offset % 4 == 0, (views[view].stride ?? count) % 4 == 0 else {
      throw ModelError(.malformed, place, "vertex attributes must begin at multiples of 4 bytes")
    }
    views[view].attributes.insert(accessor)
    guard views[view].stride != nil || views[view].attributes.count == 1 else {
      throw ModelError(.malformed, place, "its bufferView needs byteStride, because several accessors use it")
    }
  }

  /// Checks that normals and tangents have length 1, within 1 %.
  private mutating func checkUnits(_ name: String, _ accessor: GLTFAccessor, _ place: String) throws(ModelError) {
    guard name == "NORMAL" || name == "TANGENT", accessor.format?.component == .float,
      var elements = GLTFElements(accessor, place)
    else { return }
    try count(accessor, place)
    var index = 0
    while try elements.next() {
      let (x, y, z) = (elements.numbers[0], elements.numbers[1], elements.numbers[2])
      let length = (x * x + y * y + z * z).squareRoot()
      guard abs(length - 1) <= 0.01 else {
        throw ModelError(.malformed, place, "expected vectors of length 1, found length \(length) in element \(index)")
      }
      if name == "TANGENT", abs(elements.numbers[3]) != 1 {
        throw ModelError(.malformed, place, "expected 1 or -1 as the last number, found \(elements.numbers[3])")
      }
      index += 1
    }
  }

  /// Checks that attributes with numbered names are numbered from 0, and that there are as many `JOINTS` as `WEIGHTS`
  /// attributes.
  private func checkNumbers(_ attributes: JSONValue, _ place: String) throws(ModelError) {
    let names = Set(attributes.members.map(\.key))
    var counts: [Substring: Int] = [:]
    for name in names where !name.hasPrefix("_") {
      if let base = GLTFSemantic.base(name) { counts[base, default: 0] += 1 }
    }
    for (base, count) in counts {
      for number in 0..<count where !names.contains("\(base)_\(number)") {
        throw ModelError(.malformed, place + ".attributes", "expected \(base)_\(number), because there are others")
      }
    }
    guard counts["JOINTS"] == counts["WEIGHTS"] else {
      throw ModelError(.malformed, place + ".attributes", "expected as many JOINTS as WEIGHTS")
    }
  }

  /// Checks that the texture coordinates that a material needs exist.
  private func checkTextures(_ primitive: JSONValue, _ attributes: JSONValue, _ place: String) throws(ModelError) {
    guard let index = primitive["material"]?.int else { return }
    let (material, metal) = (materials[index], materials[index]["pbrMetallicRoughness"])
    for info in [
      metal?["baseColorTexture"], metal?["metallicRoughnessTexture"], material["normalTexture"],
      material["occlusionTexture"], material["emissiveTexture"],
    ] {
      guard let info, info["extensions"] == nil else { continue }
      let name = "TEXCOORD_\(info["texCoord"]?.int ?? 0)"
      guard attributes[name] != nil else {
        throw ModelError(.malformed, place + ".attributes", "expected \(name), which materials[\(index)] needs")
      }
    }
  }

  private mutating func checkTarget(
    _ target: JSONValue, _ attributes: JSONValue, _ count: Int, _ place: String
  ) throws(ModelError) {
    for member in target.members {
      let (here, accessor) = ("\(place).\(member.key)", accessors[member.value.int ?? 0])
      guard attributes[member.key] != nil else {
        throw ModelError(.malformed, here, "the primitive has no such attribute")
      }
      guard accessor.count == count else {
        throw ModelError(.malformed, here, "expected \(count) elements, as in the attribute, found \(accessor.count)")
      }
      let isQuantized = extensionsUsed.contains("KHR_mesh_quantization")
      if ["POSITION", "NORMAL", "TANGENT"].contains(member.key) {
        guard accessor.format?.type == "VEC3", isQuantized || accessor.format?.component == .float else {
          throw ModelError(.malformed, here, "expected three floats")
        }
        if member.key == "POSITION", accessor.least == nil || accessor.most == nil {
          throw ModelError(.malformed, here, "its accessor needs min and max")
        }
      } else if try GLTFSemantic.find(member.key, isQuantized: isQuantized, here) == nil,
        accessor.format?.component == .uint32
      {
        throw ModelError(.malformed, here, "vertex attributes cannot have 32-bit integers")
      }
      if let view = accessor.view { try use(view, Self.vertexTarget, member.value.int ?? 0, here) }
    }
  }

  /// Checks the indices of a primitive.
  ///
  /// - Returns: the number of indices; `nil` if the primitive has none.
  private mutating func checkIndices(_ primitive: JSONValue, _ vertices: Int, _ place: String) throws(ModelError)
    -> Int?
  {
    guard let index = primitive["indices"]?.int else { return nil }
    let (accessor, here) = (accessors[index], place + ".indices")
    guard let format = accessor.format, format.type == "SCALAR", !format.isNormalized,
      [.uint8, .uint16, .uint32].contains(format.component)
    else { throw ModelError(.malformed, here, "expected an accessor of unsigned integers") }
    if let view = accessor.view {
      guard views[view].stride == nil else {
        throw ModelError(.malformed, here, "its bufferView cannot have byteStride")
      }
      try use(view, Self.indexTarget, index, here)
    }
    guard var elements = GLTFElements(accessor, here) else { return accessor.count }
    try count(accessor, here)
    var element = 0
    while try elements.next() {
      guard Int(elements.numbers[0]) < vertices else {
        throw ModelError(
          .reference, here,
          "expected an index below \(vertices), the number of vertices, found \(Int(elements.numbers[0])) in element \(element)"
        )
      }
      element += 1
    }
    return accessor.count
  }
}
