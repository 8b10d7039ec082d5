import JSONText

/// A buffer view of glTF: a range of a buffer's bytes.
struct GLTFView {
  let buffer: GLTFBuffer
  let offset: Int
  let count: Int
  let stride: Int?
  let target: Int?
  /// The purpose of the view: 34962 for vertex attributes, 34963 for indices; `nil` until a primitive uses the view.
  var use: Int?
  /// Indices of the accessors that read vertex attributes from the view.
  var attributes: Set<Int> = []
}

/// The format of the elements of an accessor. An element is a scalar, a vector or a matrix.
struct GLTFFormat: Equatable {
  enum Component: Int {
    case int8 = 5120
    case uint8, int16, uint16
    case uint32 = 5125
    case float

    var count: Int {
      switch self {
      case .int8, .uint8: 1
      case .int16, .uint16: 2
      case .uint32, .float: 4
      }
    }

    /// The range of the values of an integer type; `nil` for floats.
    var range: ClosedRange<Double>? {
      switch self {
      case .int8: -128...127
      case .uint8: 0...255
      case .int16: -32_768...32_767
      case .uint16: 0...65_535
      case .uint32: 0...4_294_967_295
      case .float: nil
      }
    }
  }

  let type: String
  let component: Component
  let isNormalized: Bool

  static let sizes = ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16]

  /// How many numbers an element (a scalar, a vector or a matrix) contains.
  var size: Int { Self.sizes[type] ?? 0 }
  /// The number of rows of a matrix; `nil` for other types. Each column begins at a multiple of 4 bytes.
  var rows: Int? { type.hasPrefix("MAT") ? (type == "MAT2" ? 2 : type == "MAT3" ? 3 : 4) : nil }

  /// The length of one element in bytes.
  var count: Int {
    guard let rows else { return size * component.count }
    // The last column of a matrix is padded, too.
    return rows * ((rows * component.count + 3) & ~3)
  }

  /// The offset of a number in an element, bytes.
  func offset(of number: Int) -> Int {
    guard let rows else { return number * component.count }
    return number / rows * ((rows * component.count + 3) & ~3) + number % rows * component.count
  }
}

/// An accessor of glTF: elements (scalars, vectors or matrices) in a buffer. A sparse accessor replaces some of these
/// elements.
struct GLTFAccessor {
  struct Sparse {
    let count: Int
    let indices: Data
    let component: GLTFFormat.Component
    let values: Data
  }

  /// The position of an accessor's elements in the file.
  struct Data {
    let bytes: ModelBytes
    let offset: Int
    let stride: Int
  }

  /// The format of the elements; `nil` if an extension defines the type.
  let format: GLTFFormat?
  let count: Int
  let view: Int?
  let offset: Int
  /// The position of the elements in the file; `nil` if all elements are 0, or if the document does not contain them.
  var data: Data?
  let least: [Double]?
  let most: [Double]?
  var sparse: Sparse?
}

extension GLTFChecker {
  mutating func readViews(_ buffers: [GLTFBuffer]) throws(ModelError) {
    for (index, value) in (root["bufferViews"].map { Array($0.elements) } ?? []).enumerated() {
      let place = "bufferViews[\(index)]"
      let buffer = buffers[value["buffer"]?.int ?? 0]
      let (offset, count) = (value["byteOffset"]?.int ?? 0, value["byteLength"]?.int ?? 0)
      guard offset < buffer.count, count <= buffer.count - offset else {
        throw ModelError(
          .truncated, place, "expected a part of its buffer of \(buffer.count) bytes, found \(count) bytes at \(offset)"
        )
      }
      let (stride, target) = (value["byteStride"]?.int, value["target"]?.int)
      if let stride {
        guard stride <= count else {
          throw ModelError(.malformed, place + ".byteStride", "expected at most byteLength")
        }
        guard target != 34_963 else {
          throw ModelError(.malformed, place + ".byteStride", "only vertex attributes can have it")
        }
      }
      views.append(GLTFView(buffer: buffer, offset: offset, count: count, stride: stride, target: target))
    }
  }

  mutating func readAccessors() throws(ModelError) {
    for (index, value) in (root["accessors"].map { Array($0.elements) } ?? []).enumerated() {
      accessors.append(try accessor(value, "accessors[\(index)]"))
    }
  }

  private func accessor(_ value: JSONValue, _ place: String) throws(ModelError) -> GLTFAccessor {
    let (count, view) = (value["count"]?.int ?? 0, value["bufferView"]?.int)
    let isNormalized = value["normalized"]?.bool ?? false
    var format: GLTFFormat?
    if let component = GLTFFormat.Component(rawValue: value["componentType"]?.int ?? 0),
      let type = value["type"]?.string, GLTFFormat.sizes[type] != nil
    {
      format = GLTFFormat(type: type, component: component, isNormalized: isNormalized)
      if isNormalized, component == .float || component == .uint32 {
        throw ModelError(.malformed, place + ".normalized", "expected bytes or shorts")
      }
    }
    guard view != nil || value["byteOffset"] == nil else {
      throw ModelError(.malformed, place + ".byteOffset", "expected the member bufferView, too")
    }
    let offset = value["byteOffset"]?.int ?? 0
    var accessor = GLTFAccessor(
      format: format, count: count, view: view, offset: offset, data: nil,
      least: try bounds(value["min"], format, place + ".min"), most: try bounds(value["max"], format, place + ".max"),
      sparse: nil)
    guard let format else { return accessor }
    if let view {
      accessor.data = try data(view, offset, count, format, place, usesStride: true)
    }
    if let sparse = value["sparse"] { accessor.sparse = try self.sparse(sparse, count, format, place + ".sparse") }
    return accessor
  }

  private func bounds(_ value: JSONValue?, _ format: GLTFFormat?, _ place: String) throws(ModelError) -> [Double]? {
    guard let value else { return nil }
    let numbers = doubles(value)
    guard let format else { return numbers }
    guard numbers.count == format.size else {
      throw ModelError(.malformed, place, "expected \(format.size) elements, found \(numbers.count)")
    }
    if let range = format.component.range {
      for number in numbers where !range.contains(number) || number != number.rounded() {
        throw ModelError(.malformed, place, "expected integers of the accessor's type, found \(number)")
      }
    }
    return numbers
  }

  private func sparse(
    _ value: JSONValue, _ count: Int, _ format: GLTFFormat, _ place: String
  ) throws(ModelError) -> GLTFAccessor.Sparse? {
    let some = value["count"]?.int ?? 0
    guard some <= count else {
      throw ModelError(.malformed, place + ".count", "expected at most \(count), the accessor's count, found \(some)")
    }
    guard let indices = value["indices"], let values = value["values"],
      let component = GLTFFormat.Component(rawValue: indices["componentType"]?.int ?? 0),
      [.uint8, .uint16, .uint32].contains(component)
    else { throw ModelError(.malformed, place + ".indices.componentType", "expected unsigned integers") }
    func part(_ value: JSONValue, _ format: GLTFFormat, _ place: String) throws(ModelError) -> GLTFAccessor.Data? {
      let index = value["bufferView"]?.int ?? 0
      guard views[index].stride == nil, views[index].target == nil else {
        throw ModelError(.malformed, place, "its bufferView cannot have byteStride or target")
      }
      return try data(index, value["byteOffset"]?.int ?? 0, some, format, place, usesStride: false)
    }
    let single = GLTFFormat(type: "SCALAR", component: component, isNormalized: false)
    let places = (place + ".indices", place + ".values")
    guard let at = try part(indices, single, places.0), let what = try part(values, format, places.1) else {
      return nil
    }
    return GLTFAccessor.Sparse(count: some, indices: at, component: component, values: what)
  }

  /// Checks that the elements of an accessor are inside a view, and returns their position in the file; `nil` if the
  /// document does not contain them.
  private func data(
    _ index: Int, _ offset: Int, _ count: Int, _ format: GLTFFormat, _ place: String, usesStride: Bool
  ) throws(ModelError) -> GLTFAccessor.Data? {
    let view = views[index]
    let unit = format.rows == nil ? format.component.count : max(4, format.component.count)
    guard offset % unit == 0 else {
      throw ModelError(.malformed, place + ".byteOffset", "expected a multiple of \(unit), found \(offset)")
    }
    guard offset < view.count, (view.offset + offset) % format.component.count == 0 else {
      throw ModelError(
        .malformed, place,
        "expected an offset in the buffer that is a multiple of \(format.component.count), found \(view.offset &+ offset)"
      )
    }
    let stride = usesStride ? view.stride ?? format.count : format.count
    guard stride >= format.count else {
      throw ModelError(.malformed, place, "expected a byteStride of at least \(format.count), found \(stride)")
    }
    // The padding behind the last column of the last matrix may be missing.
    let (length, isTooLong) = (count - 1).multipliedReportingOverflow(by: stride)
    guard !isTooLong, length <= view.count - offset,
      format.offset(of: format.size - 1) + format.component.count <= view.count - offset - length
    else {
      throw ModelError(
        .truncated, place,
        "expected \(count) elements inside its bufferView of \(view.count) bytes, from byte \(offset)")
    }
    guard let content = view.buffer.content else { return nil }
    return GLTFAccessor.Data(bytes: content.bytes, offset: content.offset + view.offset + offset, stride: stride)
  }
}
