extension JSONValue {
  /// Offset of the value's first character in the text, bytes.
  public var offset: Int { Int(node.offset) }

  /// Line of the value's first character, from 1. Each access counts the lines from the start of the text.
  public var line: Int { place.line }

  /// Column of the value's first character, from 1, in Unicode scalars. Each access reads the text from its start.
  public var column: Int { place.column }

  /// JSON path of the value, for example `adapters[1].baud`; empty for the root. For a key, the path of its value.
  public var path: String {
    var path = ""
    var container = 0
    while container < index, document.nodes[container].isContainer {
      guard let step = step(from: container, path: &path) else { break }
      container = step
    }
    return path
  }

  /// Returns an error at this value, for a rule of the caller:
  ///
  ///     throw value.invalid(expected: "a device path", found: "\"COM3\"")
  ///
  /// - Parameters:
  ///   - expected: what would be valid.
  ///   - found: what was found instead; `nil` stands for ``summary``.
  public func invalid(expected: String, found: String? = nil) -> JSONError {
    error(.invalidValue(expected: expected, found: found ?? summary))
  }

  /// Returns an error at this value, which should be an address. If the text contains `user:password@` or a query
  /// (`?token=…`), the error does not show it.
  public func invalidAddress(expected: String) -> JSONError {
    let marks = Array("@?#".utf8)
    guard node.kind == .string, valueBytes.contains(where: marks.contains) else { return invalid(expected: expected) }
    return invalid(expected: expected, found: "one that is not shown, as it may hold a password")
  }

  /// Returns an error of any kind at this value.
  public func error(_ kind: JSONError.Kind) -> JSONError {
    let place = self.place
    return JSONError(kind, line: place.line, column: place.column, offset: offset, path: path)
  }

  /// A text that describes the value in a message: for an array or object, the name of its type; otherwise the value
  /// itself, shortened if it is long.
  public var summary: String {
    switch node.kind {
    case .object: "an object"
    case .array: "an array"
    case .string: JSONError.quoted(String(decoding: valueBytes.prefix(240), as: UTF8.self))
    case .number: valueBytes.count <= 40 ? String(decoding: valueBytes, as: UTF8.self) : "a very long number"
    case .true: "true"
    case .false: "false"
    case .null: "null"
    }
  }

  private var place: TextPosition {
    TextPosition(of: offset, in: document.bytes.span.extracting(0..<document.textCount))
  }

  /// Finds, in an array or object, the child that is this value or contains it. Appends the child's key or index to the
  /// path.
  ///
  /// - Returns: the index of the child's node; `nil` if there is no such child.
  private func step(from container: Int, path: inout String) -> Int? {
    let isObject = document.nodes[container].kind == .object
    for (position, child) in document.children(of: container).enumerated() {
      guard index < document.end(of: isObject ? child + 1 : child) else { continue }
      guard isObject else {
        path += "[\(position)]"
        return child
      }
      JSONPath.append(key: document.member(child).key, to: &path)
      return index == child ? index : child + 1
    }
    return nil
  }
}
