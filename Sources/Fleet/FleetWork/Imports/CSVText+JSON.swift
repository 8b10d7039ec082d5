import FleetDomain

extension CSVText {
  /// Reads a JSON array of objects as a table with a column for each key. The members of nested objects become columns
  /// such as `attributes.fuel`.
  ///
  /// - Throws: ``ImportError`` if the text is not such an array. The line of the error is the number of the array's
  ///   element, from 1.
  public init(json bytes: [UInt8]) throws(ImportError) {
    let json: JSON
    do throws(FieldError) {
      json = try JSON(parsing: bytes)
    } catch {
      throw ImportError(
        line: 1, column: nil, message: error.path.isEmpty ? error.message : "\(error.path): \(error.message)")
    }
    guard case .array(let elements) = json else {
      throw ImportError(line: 1, column: nil, message: "expected a JSON array of objects, found \(json.summary)")
    }
    var objects: [[String: String]] = []
    var keys: Set<String> = []
    for (index, element) in elements.enumerated() {
      guard case .object = element else {
        throw ImportError(line: index + 1, column: nil, message: "expected an object, found \(element.summary)")
      }
      var cells: [String: String] = [:]
      Self.add(element, "", to: &cells)
      objects.append(cells)
      keys.formUnion(cells.keys)
      try Self.requireFew(columns: keys.count, cells: keys.count * (index + 1), line: index + 1)
    }
    guard !keys.isEmpty else {
      self.init(rows: [], isExact: true)
      return
    }
    let sorted = keys.sorted()
    let rows = objects.enumerated().map { index, cells in
      Row(line: index + 1, cells: sorted.map { cells[$0] ?? "" })
    }
    self.init(rows: [Row(line: 1, cells: sorted)] + rows, isExact: true)
  }

  private static func add(_ json: JSON, _ path: String, to cells: inout [String: String]) {
    switch json {
    case .null: break
    case .object(let members):
      for (key, value) in members { add(value, path.isEmpty ? key : "\(path).\(key)", to: &cells) }
    case .text(let text): cells[path] = text
    case .array(let elements): if !elements.isEmpty { cells[path] = json.canonicalText }
    case .bool, .integer, .number: cells[path] = json.canonicalText
    }
  }
}
