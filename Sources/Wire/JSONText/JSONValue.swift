/// A value of a ``JSONDocument``, with its type, its content and its position in the text.
///
/// ```swift
/// let document = try JSONDocument(parsing: Array(#"{"adapters":[{"baud":38400}]}"#.utf8))
/// let baud = document.root["adapters"]?[0]?["baud"]
/// baud?.int                   // 38400
/// baud?.path                  // "adapters[0].baud"
/// ```
public struct JSONValue: Sendable {
  /// The types of RFC 8259; `true` and `false` are one type.
  public enum Kind: Equatable, Sendable { case object, array, string, number, bool, null }

  let document: JSONDocument
  let index: Int

  var node: JSONNode { document.nodes[index] }

  /// The type of the value.
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

  /// The value of `true` or `false`; `nil` for any other type.
  public var bool: Bool? {
    switch node.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The value of a string with its escape sequences decoded; `nil` for any other type.
  public var string: String? { node.kind == .string ? String(decoding: valueBytes, as: UTF8.self) : nil }

  /// Whether this is a string with exactly this value. The comparison does not create a `String`.
  public func isString(_ text: StaticString) -> Bool {
    node.kind == .string && equals(text)
  }

  /// Calls `body` with the UTF-8 bytes of a string or a number. The bytes are not copied. The escape sequences of a
  /// string are already decoded; a number has the text as it is written.
  ///
  /// - Returns: the result of `body`; `nil` for any other type.
  public func withUTF8<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let node = self.node
    guard node.kind == .string || node.kind == .number else { return nil }
    return try body(valueSpan)
  }

  /// The text of a number as it is written, for example `1.50`; `nil` for any other type.
  public var numberText: String? { node.kind == .number ? String(decoding: valueBytes, as: UTF8.self) : nil }

  /// Number of elements of an array or of members of an object, including those that are left out
  /// (``JSONDocument/readReportingAllFaults(_:)``); 0 for any other type.
  public var count: Int { node.isContainer ? Int(node.start) : 0 }

  /// The value of a key; `nil` if the key is missing or this is not an object.
  public subscript(_ key: String) -> JSONValue? {
    document.value(of: key, in: index).map { JSONValue(document: document, index: $0) }
  }

  /// The element at `position`, from 0; `nil` if there is none or this is not an array. Each access iterates from the
  /// start; use ``elements`` to visit all.
  public subscript(_ position: Int) -> JSONValue? {
    guard position >= 0 else { return nil }
    for (index, element) in elements.enumerated() where index == position { return element }
    return nil
  }

  /// The elements of an array in order, without those that are left out; empty for any other type.
  public var elements: JSONElements { JSONElements(self) }

  /// The members of an object in the order of the text, without those that are left out; empty for any other type.
  public var members: JSONMembers { JSONMembers(self) }

  /// The bytes of a string's value or a number's text, as a span that does not retain the document.
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
  /// The key as a string value, with its own line and column.
  public let keyValue: JSONValue
  /// The value after the colon.
  public let value: JSONValue

  /// The key with its escape sequences decoded.
  public var key: String { String(decoding: keyValue.valueBytes, as: UTF8.self) }

  /// Whether the key equals this text. The comparison does not create a `String`.
  public func hasKey(_ key: String) -> Bool { keyValue.document.key(keyValue.index, equals: key) }
}

/// The elements of an array, in order.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  private let document: JSONDocument
  private var index: Int
  private let end: Int

  init(_ value: JSONValue) {
    document = value.document
    index = value.index + 1
    end = value.node.kind == .array ? Int(value.node.extent) : index
  }

  /// Returns the next element; `nil` at the end.
  public mutating func next() -> JSONValue? {
    while index < end {
      let element = index
      index = document.end(of: element)
      if !document.nodes[element].isLeftOut { return JSONValue(document: document, index: element) }
    }
    return nil
  }
}

/// The members of an object, in the order of the text.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  private let document: JSONDocument
  private var index: Int
  private let end: Int

  init(_ value: JSONValue) {
    document = value.document
    index = value.index + 1
    end = value.node.kind == .object ? Int(value.node.extent) : index
  }

  /// Returns the next member; `nil` at the end.
  public mutating func next() -> JSONMember? {
    while index < end {
      let key = index
      index = document.end(of: key + 1)
      if document.nodes[key].isLeftOut || document.nodes[key + 1].isLeftOut { continue }
      return document.member(key)
    }
    return nil
  }
}

extension JSONDocument {
  /// Returns the index of the node that follows a value and all its descendants.
  func end(of index: Int) -> Int { nodes[index].isContainer ? Int(nodes[index].extent) : index + 1 }

  /// Returns the indices of the nodes of an array's elements or an object's keys, including those that are left out.
  func children(of container: Int) -> [Int] {
    var children: [Int] = []
    var next = container + 1
    while next < end(of: container) {
      children.append(next)
      next = end(of: nodes[container].kind == .object ? next + 1 : next)
    }
    return children
  }

  /// Whether a key equals this text. The comparison does not create a `String`.
  ///
  /// - Parameter index: index of the key's node.
  func key(_ index: Int, equals text: String) -> Bool {
    let node = nodes[index]
    guard text.utf8.count == Int(node.extent) else { return false }
    var position = Int(node.start)
    for byte in text.utf8 {
      if bytes[position] != byte { return false }
      position += 1
    }
    return true
  }

  /// Returns the index of the node of a key's value; `nil` if the container has no such key or is no object. Unlike an
  /// iteration of ``JSONMembers``, this search does not retain the document for each member.
  func value(of key: String, in container: Int) -> Int? {
    let nodes = nodes.span
    guard nodes[container].kind == .object else { return nil }
    let length = key.utf8.count
    let end = Int(nodes[container].extent)
    var index = container + 1
    while index < end {
      let value = index + 1
      if Int(nodes[index].extent) == length, !nodes[index].isLeftOut, !nodes[value].isLeftOut,
        self.key(index, equals: key)
      {
        return value
      }
      index = nodes[value].isContainer ? Int(nodes[value].extent) : value + 1
    }
    return nil
  }

  /// Returns a member of an object.
  ///
  /// - Parameter key: index of the key's node.
  func member(_ key: Int) -> JSONMember {
    JSONMember(keyValue: JSONValue(document: self, index: key), value: JSONValue(document: self, index: key + 1))
  }
}
