/// One value of a ``JSONDocument``: knows what it is, what it holds, and where it stands.
public struct JSONValue: Sendable {
  /// The six types of RFC 8259; true and false are one.
  public enum Kind: Equatable, Sendable { case object, array, string, number, bool, null }

  let document: JSONDocument
  let index: Int

  var node: JSONNode { document.nodes[index] }

  /// The value's type.
  public var kind: Kind {
    switch node.kind {
    case .object: .object
    case .array: .array
    case .string: .string
    case .number: .number
    case .true, .false: .bool
    case .null: .null
    }
  }

  /// Whether this is `null`.
  public var isNull: Bool { node.kind == .null }

  /// True or false; nil for any other value.
  public var bool: Bool? {
    switch node.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// A string's value, escapes resolved; nil for any other value.
  public var string: String? { node.kind == .string ? String(decoding: valueBytes, as: UTF8.self) : nil }

  /// Whether this is a string with just this value; compares bytes and makes no `String`.
  public func isString(_ text: StaticString) -> Bool {
    node.kind == .string && equals(text)
  }

  /// Calls `body` with a string's UTF-8 bytes, escapes resolved, or with a number's digits, without copying them.
  ///
  /// - Returns: nil for any other value.
  public func withUTF8<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let node = self.node
    guard node.kind == .string || node.kind == .number else { return nil }
    return try body(valueSpan)
  }

  /// A number as it is written: `1.50`; nil for any other value.
  public var numberText: String? { node.kind == .number ? String(decoding: valueBytes, as: UTF8.self) : nil }

  /// Elements of an array or members of an object; 0 for any other value.
  public var count: Int { node.isContainer ? Int(node.start) : 0 }

  /// The value of a key; nil where the key is absent or this is no object.
  public subscript(_ key: String) -> JSONValue? {
    for member in members where member.hasKey(key) { return member.value }
    return nil
  }

  /// The element at `position`, counted from 0; nil past the end or where this is no array. Walks there: to visit all,
  /// use ``elements``.
  public subscript(_ position: Int) -> JSONValue? {
    guard position >= 0 else { return nil }
    for (index, element) in elements.enumerated() where index == position { return element }
    return nil
  }

  /// The elements of an array, in order; empty for any other value.
  public var elements: JSONElements { JSONElements(self) }

  /// The members of an object, in the order of the text; empty for any other value.
  public var members: JSONMembers { JSONMembers(self) }

  /// The same without a copy of the array's reference.
  var valueSpan: Span<UInt8> {
    let start = Int(node.start)
    return document.bytes.span.extracting(start..<(start + Int(node.extent)))
  }

  var valueBytes: ArraySlice<UInt8> {
    let start = Int(node.start)
    return document.bytes[start..<(start + Int(node.extent))]
  }

  private func equals(_ text: StaticString) -> Bool {
    let node = self.node
    guard Int(node.extent) == text.utf8CodeUnitCount else { return false }
    for step in 0..<text.utf8CodeUnitCount
    where unsafe document.bytes[Int(node.start) + step] != text.utf8Start[step] {
      return false
    }
    return true
  }
}

/// A key with its value.
public struct JSONMember: Sendable {
  /// The key as a value of its own: a string that knows its line and column.
  public let keyValue: JSONValue
  /// What stands behind the colon.
  public let value: JSONValue

  /// The key, escapes resolved.
  public var key: String { String(decoding: keyValue.valueBytes, as: UTF8.self) }

  /// Whether this is the key; compares bytes and makes no `String`.
  public func hasKey(_ key: String) -> Bool {
    let node = keyValue.node
    guard key.utf8.count == Int(node.extent) else { return false }
    var position = Int(node.start)
    for byte in key.utf8 {
      if keyValue.document.bytes[position] != byte { return false }
      position += 1
    }
    return true
  }
}

/// Elements of an array, in order.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  private let document: JSONDocument
  private var index: Int
  private let end: Int

  init(_ value: JSONValue) {
    document = value.document
    index = value.index + 1
    end = value.node.kind == .array ? Int(value.node.extent) : index
  }

  /// The next one; nil behind the last.
  public mutating func next() -> JSONValue? {
    guard index < end else { return nil }
    defer { index = document.end(of: index) }
    return JSONValue(document: document, index: index)
  }
}

/// Members of an object, in the order of the text.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  private let document: JSONDocument
  private var index: Int
  private let end: Int

  init(_ value: JSONValue) {
    document = value.document
    index = value.index + 1
    end = value.node.kind == .object ? Int(value.node.extent) : index
  }

  /// The next one; nil behind the last.
  public mutating func next() -> JSONMember? {
    guard index < end else { return nil }
    let key = index
    index = document.end(of: key + 1)
    return JSONMember(
      keyValue: JSONValue(document: document, index: key), value: JSONValue(document: document, index: key + 1))
  }
}

extension JSONDocument {
  /// Index of the node behind a value and everything in it.
  func end(of index: Int) -> Int { nodes[index].isContainer ? Int(nodes[index].extent) : index + 1 }
}
