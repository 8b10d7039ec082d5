import JSONText

extension GLTFChecker {
  mutating func checkSkins() throws(ModelError) {
    for (index, skin) in skins.enumerated() {
      guard let matrices = skin["inverseBindMatrices"]?.int else { continue }
      let place = "skins[\(index)].inverseBindMatrices"
      let accessor = accessors[matrices]
      guard accessor.format == GLTFFormat(type: "MAT4", component: .float, isNormalized: false) else {
        throw ModelError(.malformed, place, "expected an accessor of matrices of 16 floats")
      }
      let joints = skin["joints"]?.count ?? 0
      guard accessor.count >= joints else {
        throw ModelError(.malformed, place, "expected \(joints) matrices, one for each joint, found \(accessor.count)")
      }
      guard var elements = GLTFElements(accessor, place) else { continue }
      try count(accessor, place)
      while try elements.next() {
        let matrix = elements.numbers
        guard matrix[3] == 0, matrix[7] == 0, matrix[11] == 0, matrix[15] == 1 else {
          throw ModelError(.malformed, place, "expected matrices whose last row is 0, 0, 0, 1")
        }
      }
    }
  }

  mutating func checkAnimations() throws(ModelError) {
    for (index, animation) in (root["animations"].map { Array($0.elements) } ?? []).enumerated() {
      let place = "animations[\(index)]"
      let samplers = animation["samplers"].map { Array($0.elements) } ?? []
      for (number, sampler) in samplers.enumerated() { try checkInput(sampler, "\(place).samplers[\(number)]") }
      var targets: Set<String> = []
      for (number, channel) in (animation["channels"].map { Array($0.elements) } ?? []).enumerated() {
        let here = "\(place).channels[\(number)]"
        let sampler = channel["sampler"]?.int ?? 0
        guard sampler < samplers.count else {
          throw ModelError(.reference, here + ".sampler", "expected an index below \(samplers.count), found \(sampler)")
        }
        guard let target = channel["target"], let path = target["path"]?.string else { continue }
        if let node = target["node"]?.int {
          guard targets.insert("\(node) \(path)").inserted else {
            throw ModelError(.malformed, here + ".target", "another channel has the same target")
          }
        }
        try checkOutput(samplers[sampler], target["node"]?.int, path, here)
      }
    }
  }

  /// Checks that the key-frame times of an animation sampler are increasing and not negative.
  private mutating func checkInput(_ sampler: JSONValue, _ place: String) throws(ModelError) {
    let here = place + ".input"
    let accessor = accessors[sampler["input"]?.int ?? 0]
    guard accessor.format == GLTFFormat(type: "SCALAR", component: .float, isNormalized: false) else {
      throw ModelError(.malformed, here, "expected an accessor of floats")
    }
    guard accessor.least != nil, accessor.most != nil else {
      throw ModelError(.malformed, here, "its accessor needs min and max")
    }
    if sampler["interpolation"]?.string == "CUBICSPLINE", accessor.count < 2 {
      throw ModelError(.malformed, here, "expected at least 2 elements, found \(accessor.count)")
    }
    guard var elements = GLTFElements(accessor, here) else { return }
    try count(accessor, here)
    var last = -Double.infinity
    while try elements.next() {
      let time = elements.numbers[0]
      guard time >= 0, time > last else { throw ModelError(.malformed, here, "expected increasing times from 0") }
      last = time
    }
  }

  private func checkOutput(_ sampler: JSONValue, _ node: Int?, _ path: String, _ place: String) throws(ModelError) {
    let output = accessors[sampler["output"]?.int ?? 0]
    var count = accessors[sampler["input"]?.int ?? 0].count
    if sampler["interpolation"]?.string == "CUBICSPLINE" { count *= 3 }
    let type: String
    switch path {
    case "translation", "scale": type = "VEC3"
    case "rotation": type = "VEC4"
    case "weights": type = "SCALAR"
    default: return
    }
    if let node {
      if path == "weights" {
        let targets = nodes[node]["mesh"]?.int.map { meshes[$0]["primitives"]?[0]?["targets"]?.count ?? 0 } ?? 0
        guard targets > 0 else { throw ModelError(.malformed, place + ".target", "the node has no morph targets") }
        count = count.multipliedReportingOverflow(by: targets).partialValue
      } else if nodes[node]["matrix"] != nil {
        throw ModelError(.malformed, place + ".target", "the node has a matrix")
      }
    }
    let isUnsigned = output.format?.component == .uint32
    let canBeInteger = path == "rotation" || path == "weights"
    guard let format = output.format, format.type == type,
      format.component == .float || canBeInteger && format.isNormalized && !isUnsigned
    else {
      throw ModelError(.malformed, place, "the output of its sampler has a format that is not allowed for \(path)")
    }
    guard path == "weights" && node == nil || output.count == count else {
      throw ModelError(
        .malformed, place, "expected \(count) elements in the output of its sampler, found \(output.count)")
    }
  }

  // MARK: Images

  mutating func checkImages() throws(ModelError) {
    for (index, image) in (root["images"].map { Array($0.elements) } ?? []).enumerated() {
      let place = "images[\(index)]"
      let (uri, view) = (image["uri"], image["bufferView"]?.int)
      guard (uri == nil) != (view == nil) else {
        throw ModelError(.malformed, place, "expected either uri or bufferView")
      }
      var type = image["mimeType"]?.string
      if let uri {
        let data = try DataURI(uri, place + ".uri")
        if type == nil { type = data.type }
        try checkImage(ModelBytes(data.bytes), 0..<data.bytes.count, type, place)
      } else if let view {
        guard type != nil else { throw ModelError(.malformed, place, "expected the member mimeType") }
        guard views[view].stride == nil else {
          throw ModelError(.malformed, place + ".bufferView", "the view of an image cannot have byteStride")
        }
        guard let content = views[view].buffer.content else { continue }
        let start = content.offset + views[view].offset
        try checkImage(content.bytes, start..<(start + views[view].count), type, place)
      }
    }
  }

  private func checkImage(_ bytes: ModelBytes, _ range: Range<Int>, _ type: String?, _ place: String) throws(ModelError)
  {
    guard let size = try ImageSize(bytes, range, place) else { return }
    guard type == nil || type == size.type else {
      throw ModelError(.malformed, place, "expected the type \(size.type), found \(JSONError.quoted(type ?? ""))")
    }
    guard max(size.width, size.height) <= 16_384, size.width * size.height <= 100_000_000 else {
      throw ModelError(.tooLarge, place, "expected at most 100 megapixels, found \(size.width) x \(size.height)")
    }
  }
}
