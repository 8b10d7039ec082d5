/// Reads the elements (scalars, vectors or matrices) of an accessor one after another. A sparse accessor replaces some
/// elements; for these, the reader returns the new values.
struct GLTFElements {
  private let format: GLTFFormat
  private let accessor: GLTFAccessor
  private let place: String
  private var index = 0
  private var nextSparse = 0
  private var sparseIndex = -1
  /// The numbers of the current element. Normalized integers are not converted to fractions.
  private(set) var numbers: [Double]

  /// Creates a reader that is positioned before the first element.
  ///
  /// - Returns: `nil` if the elements are not in the document.
  init?(_ accessor: GLTFAccessor, _ place: String) {
    guard let format = accessor.format, accessor.data != nil || accessor.sparse != nil else { return nil }
    (self.format, self.accessor, self.place) = (format, accessor, place)
    numbers = Array(repeating: 0, count: format.size)
  }

  static func number(
    _ bytes: ModelBytes, _ offset: Int, _ component: GLTFFormat.Component
  ) throws(ModelError) -> Double {
    switch component {
    case .int8: Double(Int8(bitPattern: try bytes.byte(at: offset)))
    case .uint8: Double(try bytes.byte(at: offset))
    case .int16: Double(Int16(bitPattern: try bytes.uint16(at: offset)))
    case .uint16: Double(try bytes.uint16(at: offset))
    case .uint32: Double(try bytes.uint32(at: offset))
    case .float: Double(try bytes.float(at: offset))
    }
  }

  /// Reads the next element.
  ///
  /// - Returns: `false` after the last element.
  mutating func next() throws(ModelError) -> Bool {
    guard index < accessor.count else {
      guard nextSparse == accessor.sparse?.count ?? 0 else {
        throw ModelError(.malformed, "\(place).sparse.indices", "expected increasing indices below \(accessor.count)")
      }
      return false
    }
    if let sparse = accessor.sparse, sparseIndex < index, nextSparse < sparse.count {
      let data = sparse.indices
      let found = Int(try Self.number(data.bytes, data.offset + nextSparse * data.stride, sparse.component))
      guard found > sparseIndex, found < accessor.count else {
        throw ModelError(
          .malformed, "\(place).sparse.indices", "expected increasing indices below \(accessor.count), found \(found)")
      }
      sparseIndex = found
      nextSparse += 1
    }
    if let sparse = accessor.sparse, sparseIndex == index {
      try read(sparse.values, nextSparse - 1)
    } else if let data = accessor.data {
      try read(data, index)
    } else {
      for number in numbers.indices { numbers[number] = 0 }
    }
    index += 1
    return true
  }

  @inline(__always)
  private mutating func read(_ data: GLTFAccessor.Data, _ element: Int) throws(ModelError) {
    let start = data.offset + element * data.stride
    for number in numbers.indices {
      numbers[number] = try Self.number(data.bytes, start + format.offset(of: number), format.component)
    }
  }
}

extension GLTFChecker {
  /// Counts the numbers of an accessor before they are read.
  ///
  /// - Throws: `tooLarge` if more than ``ModelLimits/numbers`` would be read.
  mutating func count(_ accessor: GLTFAccessor, _ place: String) throws(ModelError) {
    let (product, isTooLarge) = accessor.count.multipliedReportingOverflow(by: accessor.format?.size ?? 1)
    let (sum, isTooMuch) = numbers.addingReportingOverflow(product)
    numbers = isTooLarge || isTooMuch ? .max : sum
    try ModelLimits.check(numbers, ModelLimits.numbers, "numbers in all accessors together", place)
  }

  /// Checks the numbers of all accessors: they must be finite, and must agree with the accessor's `min` and `max`.
  mutating func checkData() throws(ModelError) {
    for index in accessors.indices { try checkData(accessors[index], "accessors[\(index)]") }
  }

  private mutating func checkData(_ accessor: GLTFAccessor, _ place: String) throws(ModelError) {
    guard let format = accessor.format, var elements = GLTFElements(accessor, place) else { return }
    try count(accessor, place)
    var least = Array(repeating: Double.infinity, count: format.size)
    var most = Array(repeating: -Double.infinity, count: format.size)
    var index = 0
    while try elements.next() {
      for number in least.indices {
        let value = elements.numbers[number]
        guard value.isFinite else { throw ModelError(.malformed, place, "element \(index) is not a finite number") }
        if value < least[number] { least[number] = value }
        if value > most[number] { most[number] = value }
      }
      index += 1
    }
    try compare(accessor.least, least, format, place + ".min")
    try compare(accessor.most, most, format, place + ".max")
  }

  private func compare(
    _ declared: [Double]?, _ found: [Double], _ format: GLTFFormat, _ place: String
  ) throws(ModelError) {
    guard let declared else { return }
    for number in found.indices {
      // The document may state bounds of floats with more digits than a float has.
      let wanted = format.component == .float ? Double(Float(declared[number])) : declared[number]
      guard wanted == found[number] else {
        throw ModelError(
          .malformed, "\(place)[\(number)]", "expected \(found[number]), as in the data, found \(declared[number])")
      }
    }
  }
}
