/// Reads PLY: a header that describes elements and their properties, and then the elements as text or binary.
struct PLYReader {
  enum Number: String {
    case int8 = "char"
    case uint8 = "uchar"
    case int16 = "short"
    case uint16 = "ushort"
    case int32 = "int"
    case uint32 = "uint"
    case float, double

    /// The names of types that newer programs write.
    private static let newer: [String: Number] = [
      "int8": .int8, "uint8": .uint8, "int16": .int16, "uint16": .uint16, "int32": .int32, "uint32": .uint32,
      "float32": .float, "float64": .double,
    ]

    init?(_ name: String) {
      guard let found = Number(rawValue: name) ?? Self.newer[name] else { return nil }
      self = found
    }

    var count: Int {
      switch self {
      case .int8, .uint8: 1
      case .int16, .uint16: 2
      case .int32, .uint32, .float: 4
      case .double: 8
      }
    }

    var range: ClosedRange<Double>? {
      switch self {
      case .int8: -128...127
      case .uint8: 0...255
      case .int16: -32_768...32_767
      case .uint16: 0...65_535
      case .int32: -2_147_483_648...2_147_483_647
      case .uint32: 0...4_294_967_295
      case .float, .double: nil
      }
    }
  }

  struct Property {
    let name: String
    let type: Number
    /// The type of the number that contains the length of a list property; `nil` for a property with a single number.
    let counts: Number?
  }

  struct Element {
    let name: String
    let count: Int
    var properties: [Property] = []
  }

  private enum Format { case text, little, big }

  private let bytes: ModelBytes
  private var facts = ModelFacts(.ply)
  private var format = Format.text
  private var elements: [Element] = []
  private var text: ModelText
  /// The offset of the next number in a binary file, and the index of the next word in a line of a text file.
  private var (offset, word) = (0, 0)
  private var triangles = 0

  static func facts(_ bytes: ModelBytes) throws(ModelError) -> ModelFacts {
    var reader = PLYReader(bytes)
    try reader.readHeader()
    for element in reader.elements { try reader.read(element) }
    let vertices = reader.elements.first { $0.name == "vertex" }?.count ?? 0
    (reader.facts.vertices, reader.facts.triangles) = (vertices, reader.triangles)
    reader.facts.faces = reader.elements.first { $0.name == "face" }?.count ?? 0
    (reader.facts.materials, reader.facts.textures, reader.facts.box) = (0, 0, reader.facts.localBox)
    return reader.facts
  }

  private init(_ bytes: ModelBytes) {
    self.bytes = bytes
    text = ModelText(bytes)
  }

  // MARK: Header

  private mutating func readHeader() throws(ModelError) {
    guard try text.next(), text.words.count == 1, text.word(0, is: "ply") else {
      throw ModelError(.malformed, "line 1", "expected ply")
    }
    guard try text.next(), text.words.count == 3, text.word(0, is: "format"), text.word(2, is: "1.0") else {
      throw ModelError(.malformed, text.place, "expected format, its name, and 1.0")
    }
    switch text.text(1) {
    case "ascii": format = .text
    case "binary_little_endian": format = .little
    case "binary_big_endian": format = .big
    default: throw ModelError(.malformed, text.place, "expected ascii, binary_little_endian or binary_big_endian")
    }
    while try text.next() {
      guard !text.words.isEmpty, !text.word(0, is: "comment"), !text.word(0, is: "obj_info") else {
        try ModelLimits.check(text.number, 65_536, "lines in the header", text.place)
        continue
      }
      if text.word(0, is: "end_header") {
        offset = text.offset
        return try checkHeader()
      }
      try readDeclaration()
    }
    throw ModelError(.truncated, text.place, "expected end_header, found the end of the file")
  }

  private mutating func readDeclaration() throws(ModelError) {
    if text.word(0, is: "element"), text.words.count == 3 {
      let name = text.text(1)
      guard let count = Int(text.text(2)), count >= 0 else {
        throw ModelError(.malformed, text.place, "expected a number of elements, found \(text.shown(2))")
      }
      guard !elements.contains(where: { $0.name == name }) else {
        throw ModelError(.malformed, text.place, "the element \(text.shown(1)) is declared twice")
      }
      elements.append(Element(name: name, count: count))
      try ModelLimits.check(elements.count, 256, "kinds of elements", text.place)
      return
    }
    guard text.word(0, is: "property"), text.words.count >= 3, !elements.isEmpty else {
      throw ModelError(.malformed, text.place, "expected an element, a property or end_header, found \(text.shown(0))")
    }
    let isList = text.word(1, is: "list")
    guard text.words.count == (isList ? 5 : 3), let type = Number(text.text(isList ? 3 : 1)) else {
      throw ModelError(.malformed, text.place, "expected the type and the name of a property")
    }
    let counts = isList ? Number(text.text(2)) : nil
    guard !isList || counts?.range != nil else {
      throw ModelError(.malformed, text.place, "expected an integer as the count of a list")
    }
    let name = text.text(isList ? 4 : 2)
    guard !elements[elements.count - 1].properties.contains(where: { $0.name == name }) else {
      throw ModelError(.malformed, text.place, "the property \(text.shown(isList ? 4 : 2)) is declared twice")
    }
    elements[elements.count - 1].properties.append(Property(name: name, type: type, counts: counts))
    try ModelLimits.check(elements[elements.count - 1].properties.count, 256, "properties", text.place)
  }

  private func checkHeader() throws(ModelError) {
    guard let vertex = elements.first(where: { $0.name == "vertex" }) else {
      throw ModelError(.malformed, "header", "expected the element vertex")
    }
    for name in ["x", "y", "z"] where !vertex.properties.contains(where: { $0.name == name && $0.counts == nil }) {
      throw ModelError(.malformed, "header", "expected the property \(name) of a vertex")
    }
    try ModelLimits.check(vertex.count, ModelLimits.vertices, "vertices")
    for element in elements where element.count > 0 && element.properties.isEmpty {
      throw ModelError(.malformed, "header", "an element has no properties")
    }
  }

  // MARK: Elements

  private mutating func read(_ element: Element) throws(ModelError) {
    let vertices = elements.first { $0.name == "vertex" }?.count ?? 0
    let axes = ["x", "y", "z"].map { name in element.properties.firstIndex { $0.name == name } }
    let isVertex = element.name == "vertex"
    let corners =
      element.name == "face"
      ? element.properties.firstIndex { ["vertex_indices", "vertex_index"].contains($0.name) && $0.counts != nil } : nil
    var values = Array(repeating: 0.0, count: element.properties.count)
    for index in 0..<element.count {
      if format == .text { try nextLine(element, index) }
      for (number, property) in element.properties.enumerated() {
        guard let counts = property.counts else {
          values[number] = try next(property.type)
          continue
        }
        let count = Int(try next(counts))
        guard count >= 0 else { throw ModelError(.malformed, place(element, index), "a list has a negative count") }
        try readList(property, count, number == corners ? vertices : nil, element, index)
        guard number == corners else { continue }
        try ModelLimits.check(count, ModelLimits.corners, "corners", place(element, index))
        triangles += max(count - 2, 0)
        try ModelLimits.check(triangles, ModelLimits.triangles, "triangles", place(element, index))
      }
      if format == .text, word < text.words.count {
        throw ModelError(.malformed, text.place, "expected the end of the line, found \(text.shown(word))")
      }
      guard isVertex, let x = axes[0], let y = axes[1], let z = axes[2] else { continue }
      if values[x].isFinite, values[y].isFinite, values[z].isFinite {
        facts.localBox.add(values[x], values[y], values[z])
      }
    }
  }

  private mutating func readList(
    _ property: Property, _ count: Int, _ vertices: Int?, _ element: Element, _ index: Int
  ) throws(ModelError) {
    if vertices == nil, format != .text {
      guard count <= (bytes.count - offset) / property.type.count else {
        throw ModelError(
          .truncated, place(element, index), "expected a list of \(count) numbers, found the end of the file")
      }
      offset += count * property.type.count
      return
    }
    for _ in 0..<count {
      let value = try next(property.type)
      guard let vertices else { continue }
      guard value >= 0, value < Double(vertices), value == value.rounded() else {
        throw ModelError(
          .reference, place(element, index), "expected the index of a vertex, from 0 to \(vertices - 1), found \(value)"
        )
      }
    }
  }

  private func place(_ element: Element, _ index: Int) -> String {
    format == .text ? text.place : "\(element.name) \(index)"
  }

  private mutating func nextLine(_ element: Element, _ index: Int) throws(ModelError) {
    repeat {
      guard try text.next() else {
        throw ModelError(
          .truncated, "\(element.name) \(index)", "expected \(element.count) of them, found the end of the file")
      }
    } while text.words.isEmpty
    word = 0
  }

  /// Reads the next number. If the type is an integer type, the result is an integer in the range of the type.
  private mutating func next(_ type: Number) throws(ModelError) -> Double {
    if format == .text {
      let number = try text.double(word)
      if let range = type.range {
        guard range.contains(number), number == number.rounded() else {
          throw ModelError(
            .malformed, text.place, "expected an integer of type \(type.rawValue), found \(text.shown(word))")
        }
      }
      word += 1
      return number
    }
    let start = offset
    offset += type.count
    switch type {
    case .int8: return Double(Int8(bitPattern: try bytes.byte(at: start)))
    case .uint8: return Double(try bytes.byte(at: start))
    case .int16: return Double(Int16(bitPattern: ordered(try bytes.uint16(at: start))))
    case .uint16: return Double(ordered(try bytes.uint16(at: start)))
    case .int32: return Double(Int32(bitPattern: ordered(try bytes.uint32(at: start))))
    case .uint32: return Double(ordered(try bytes.uint32(at: start)))
    case .float: return Double(Float(bitPattern: ordered(try bytes.uint32(at: start))))
    case .double: return Double(bitPattern: ordered(try bytes.uint64(at: start)))
    }
  }

  private func ordered<Value: FixedWidthInteger>(_ value: Value) -> Value { format == .big ? value.byteSwapped : value }
}
