extension JSONValue {
  /// Bytes in front of the value.
  public var offset: Int { Int(node.offset) }

  /// Line of its first character, from 1. Counted anew at each call.
  public var line: Int { place.line }

  /// Column of its first character, from 1, in Unicode scalars. Counted anew at each call.
  public var column: Int { place.column }

  /// Where it stands in the document: `adapters[1].baud`; empty for the root, of a key the path of its value.
  public var path: String {
    var path = ""
    var container = 0
    while container < index, document.nodes[container].isContainer {
      guard let step = step(from: container, path: &path) else { break }
      container = step
    }
    return path
  }

  /// An error that names this place. For rules that only the caller knows:
  ///
  ///     throw value.invalid(expected: "a device path", found: "\"COM3\"")
  public func invalid(expected: String, found: String? = nil) -> JSONError {
    error(.invalidValue(expected: expected, found: found ?? summary))
  }

  /// The same about a text that should be an address: one with `user:password@` or a query (`?token=…`) is not shown.
  public func invalidAddress(expected: String) -> JSONError {
    let marks = Array("@?#".utf8)
    guard node.kind == .string, valueBytes.contains(where: marks.contains) else { return invalid(expected: expected) }
    return invalid(expected: expected, found: "one that is not shown, as it may hold a password")
  }

  /// An error of any kind that names this place.
  public func error(_ kind: JSONError.Kind) -> JSONError {
    let place = self.place
    return JSONError(kind, line: place.line, column: place.column, offset: offset, path: path)
  }

  /// The value as a message shows it: a type name, or the scalar itself, cut where it is long.
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

  /// The child of a container that is or holds this value; its name is put onto the path.
  private func step(from container: Int, path: inout String) -> Int? {
    let parent = JSONValue(document: document, index: container)
    var position = 0
    for element in parent.elements {
      if index < document.end(of: element.index) {
        path += "[\(position)]"
        return element.index
      }
      position += 1
    }
    for member in parent.members where index < document.end(of: member.value.index) {
      JSONPath.append(key: member.key, to: &path)
      return index == member.keyValue.index ? index : member.value.index
    }
    return nil
  }
}
