/// One JSON text (RFC 8259), checked whole and ready to be read.
///
///     let document = try JSONDocument(parsing: bytes)
///     var adapter = try JSONObjectReader(document.root)
///     let baud = try adapter.requiredInt("baud", in: 1200...4_000_000)
///     try adapter.finish()
///
/// Strict: UTF-8 only and checked, no byte order mark, no comment, no trailing comma, no doubled key. The bytes are kept,
/// numbers as the digits they are written in; nothing is turned into a Swift value before it is asked for.
public struct JSONDocument: Sendable {
  /// The text, and behind it the values of the strings that hold escapes.
  private(set) var bytes: [UInt8] = []
  private(set) var nodes: [JSONNode] = []
  private(set) var textCount = 0
  private var decoded: [UInt8] = []

  /// Nested arrays and objects that are followed unless told otherwise.
  public static let defaultMaximumDepth = 64
  /// Bytes that one text may have.
  public static let maximumCount = 1 << 30
  /// Bytes from which on memory for the nodes is taken beforehand.
  private static var largeCount: Int { 1 << 20 }

  /// - Parameters:
  ///   - text: one JSON value, white space around it allowed.
  ///   - maximumDepth: how deep arrays and objects may nest (1…512).
  /// - Throws: the first error of the text, with its place.
  public init(parsing text: Span<UInt8>, maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    try parse(text, maximumDepth: maximumDepth)
  }

  /// The same from an array, which is kept and not copied unless a string in it holds an escape.
  public init(parsing text: [UInt8], maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    try read(text.span, maximumDepth: maximumDepth)
    bytes = text
    bytes.append(contentsOf: decoded)
  }

  /// A document without a text, for ``parse(_:maximumDepth:)``; its ``root`` is null.
  public init() { reset() }

  /// Reads another text in place of this one and keeps the memory: the way to read many JSON lines, which then allocates
  /// nothing once it has seen the longest. Values of the text before stay valid for as long as somebody holds them.
  ///
  /// - Throws: as the initializers do; the document is then empty and its ``root`` null.
  public mutating func parse(_ text: Span<UInt8>, maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    try read(text, maximumDepth: maximumDepth)
    bytes.removeAll(keepingCapacity: true)
    bytes.reserveCapacity(text.count + decoded.count)
    // The buffer lives as long as the call.
    unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: decoded)
  }

  /// All but the bytes themselves.
  private mutating func read(_ text: Span<UInt8>, maximumDepth: Int) throws(JSONError) {
    var nodes = take(&self.nodes)
    var decoded = take(&self.decoded)
    nodes.removeAll(keepingCapacity: true)
    decoded.removeAll(keepingCapacity: true)
    guard text.count <= Self.maximumCount else {
      reset()
      throw JSONError(.tooLarge(limit: Self.maximumCount), line: 1, column: 1, offset: 0)
    }
    // Seldom fewer than 7 bytes make a node. Of a large text, room for that many is only written to as they come;
    // without it, the half of them would be copied.
    if text.count >= Self.largeCount { nodes.reserveCapacity(text.count / 7) }
    var parser = JSONParser(
      text, maximumDepth: min(max(maximumDepth, 1), 512), nodes: consume nodes, decoded: consume decoded)
    do {
      try parser.parseText()
    } catch {
      reset()
      throw error
    }
    textCount = text.count
    self.nodes = take(&parser.nodes)
    self.decoded = take(&parser.decoded)
  }

  /// The value of the text.
  public var root: JSONValue { JSONValue(document: self, index: 0) }

  private mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    textCount = 0
    nodes = [JSONNode(offset: 0, start: 0, extent: 0, kind: .null)]
    decoded = []
  }
}

/// Moves an array out, so that whoever changes it is its only owner.
private func take<Element>(_ array: inout [Element]) -> [Element] {
  var taken: [Element] = []
  swap(&taken, &array)
  return taken
}
