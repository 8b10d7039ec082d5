import JSONText

/// Checks a glTF 2.0 document: its schema, its references, its buffers, and its accessors with their data. Counts its
/// vertices, triangles, materials and textures.
struct GLTFChecker {
  /// The kind of file, which decides where the bytes of the first buffer are if it has no URI.
  enum Origin {
    /// A file of JSON, without binary data.
    case text
    /// A binary file: its bytes, and the range of its chunk of binary data, which is `nil` if it has no such chunk.
    case container(ModelBytes, Range<Int>?)
  }

  let root: JSONValue
  let nodes: [JSONValue]
  let meshes: [JSONValue]
  let materials: [JSONValue]
  let skins: [JSONValue]
  var views: [GLTFView] = []
  var accessors: [GLTFAccessor] = []
  let extensionsUsed: Set<String>
  var facts = ModelFacts(.gltf)
  /// The count of numbers that were read from all accessors so far (``ModelLimits/numbers``).
  var numbers = 0

  /// Checks a file of JSON.
  static func facts(text bytes: ModelBytes) throws(ModelError) -> ModelFacts {
    try ModelLimits.check(bytes.count, ModelLimits.textBytes, "bytes of JSON")
    return try facts(try bytes.bytes(0..<bytes.count), .text)
  }

  static func facts(_ text: [UInt8], _ origin: Origin) throws(ModelError) -> ModelFacts {
    try ModelLimits.check(
      JSONDocument.mostMemory(for: text.span), ModelLimits.textMemory, "bytes of memory for its JSON")
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: text)
    } catch {
      throw ModelError(.malformed, "JSON, byte \(error.offset)", error.reason)
    }
    var checker = GLTFChecker(document.root)
    try checker.check(origin)
    return checker.facts
  }

  private init(_ root: JSONValue) {
    self.root = root
    func list(_ key: String) -> [JSONValue] { root[key].map { Array($0.elements) } ?? [] }
    (nodes, meshes, materials, skins) = (list("nodes"), list("meshes"), list("materials"), list("skins"))
    extensionsUsed = Set(list("extensionsUsed").compactMap(\.string))
  }

  private mutating func check(_ origin: Origin) throws(ModelError) {
    try GLTFSchema.check(root)
    let version = root["asset"]?["version"]?.string ?? ""
    guard version.hasPrefix("2.") else {
      throw ModelError(.unsupported, "asset.version", "expected version 2.0, found \(JSONError.quoted(version))")
    }
    facts.isMetric = true
    facts.materials = materials.count
    facts.textures = root["textures"]?.count ?? 0
    for (index, name) in (root["extensionsRequired"].map { Array($0.elements) } ?? []).enumerated() {
      let name = name.string ?? ""
      guard extensionsUsed.contains(name) else {
        throw ModelError(
          .malformed, "extensionsRequired[\(index)]", "\(JSONError.quoted(name)) is not in extensionsUsed")
      }
      facts.requiredExtensions.append(name)
    }
    let buffers = try GLTFBuffers.read(root, origin)
    try readViews(buffers)
    try readAccessors()
    try checkImages()
    try checkCameras()
    try checkNodes()
    try checkMeshes()
    try checkSkins()
    try checkAnimations()
    try checkData()
    try measureScene()
  }

  private func checkCameras() throws(ModelError) {
    for (index, camera) in (root["cameras"].map { Array($0.elements) } ?? []).enumerated() {
      let place = "cameras[\(index)]"
      let type = camera["type"]?.string ?? ""
      let kinds = ["perspective", "orthographic"].filter { camera[$0] != nil }
      guard kinds.count == 1 else {
        throw ModelError(.malformed, place, "expected either perspective or orthographic")
      }
      if type == "perspective" || type == "orthographic", kinds[0] != type {
        throw ModelError(.malformed, place, "expected the member \(type)")
      }
      if let values = camera[kinds[0]], let far = values["zfar"]?.double, let near = values["znear"]?.double {
        guard far > near else {
          throw ModelError(.malformed, "\(place).\(kinds[0]).zfar", "expected a number above znear")
        }
      }
    }
  }

  // MARK: Numbers of the document

  func doubles(_ value: JSONValue?) -> [Double] { value?.elements.map { $0.double ?? 0 } ?? [] }
}
