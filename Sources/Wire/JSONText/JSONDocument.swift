/// A JSON text (RFC 8259) that was parsed and validated completely.
///
///     let document = try JSONDocument(parsing: bytes)
///     var adapter = try JSONObjectReader(document.root)
///     let baud = try adapter.requiredInt("baud", in: 1200...4_000_000)
///     try adapter.finish()
///
/// The parser is strict: it accepts valid UTF-8 only, and no byte order mark, comments, trailing commas or duplicate
/// keys. The document keeps the bytes of the text, including those of numbers. Values are converted only on access.
public struct JSONDocument: Sendable {
  /// The text, followed by the decoded values of those strings that contain escape sequences.
  private(set) var bytes: [UInt8] = []
  var nodes: [JSONNode] = []
  private(set) var textCount = 0
  private var decoded: [UInt8] = []

  /// Default maximum depth of nested arrays and objects.
  public static let defaultMaximumDepth = 64
  /// Maximum size of a text, bytes.
  public static let maximumCount = 1 << 30
  /// Minimum size of a text for which memory is reserved in advance, bytes.
  private static var largeCount: Int { 1 << 20 }

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - text: one JSON value, optionally surrounded by white space.
  ///   - maximumDepth: maximum depth of nested arrays and objects (1…512).
  /// - Throws: the first error in the text, with its position.
  public init(parsing text: Span<UInt8>, maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    try parse(text, maximumDepth: maximumDepth)
  }

  /// Parses a text in an array. The array is copied only if one of its strings has an escape sequence.
  ///
  /// - Throws: the first error in the text, with its position.
  public init(parsing text: [UInt8], maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    try read(text.span, maximumDepth: maximumDepth)
    bytes = text
    bytes.append(contentsOf: decoded)
  }

  /// Creates a document without a text, whose ``root`` is `null`. Parse texts with ``parse(_:maximumDepth:)``.
  public init() { reset() }

  /// Parses another text, which replaces this document's text, and reuses the memory. If many texts are parsed, parsing
  /// allocates no memory after the longest text has been parsed. Values of the previous text remain valid.
  ///
  /// - Throws: the first error in the text, with its position. The ``root`` is then `null`.
  public mutating func parse(_ text: Span<UInt8>, maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    try read(text, maximumDepth: maximumDepth)
    bytes.removeAll(keepingCapacity: true)
    bytes.reserveCapacity(text.count + decoded.count)
    // The buffer is used only while it is valid, during this call.
    unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: decoded)
  }

  /// Parses the text into nodes, and decodes its strings.
  private mutating func read(_ text: Span<UInt8>, maximumDepth: Int) throws(JSONError) {
    var nodes = moveOut(&self.nodes)
    var decoded = moveOut(&self.decoded)
    nodes.removeAll(keepingCapacity: true)
    decoded.removeAll(keepingCapacity: true)
    guard text.count <= Self.maximumCount else {
      reset()
      throw JSONError(.tooLarge(limit: Self.maximumCount), line: 1, column: 1, offset: 0)
    }
    // A value rarely has fewer than 7 bytes of text. For a large text, reserve the memory in advance, so that it is not
    // copied while the array grows. Reserved memory that remains unused costs nothing.
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
    self.nodes = moveOut(&parser.nodes)
    self.decoded = moveOut(&parser.decoded)
  }

  /// Returns an upper bound of the memory that a document needs, including its text, in bytes. The function only counts
  /// the characters that precede values; it does not parse the text.
  public static func mostMemory(for text: Span<UInt8>) -> Int {
    var values = 1
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"): values &+= 1
      default: break
      }
    }
    // While an array grows, both its old and its new memory exist.
    return 2 * text.count + values * (MemoryLayout<JSONNode>.stride * 3 / 2)
  }

  /// The whole text as a value.
  public var root: JSONValue { JSONValue(document: self, index: 0) }

  private mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    textCount = 0
    nodes = [JSONNode(offset: 0, start: 0, extent: 0, kind: .null)]
    decoded = []
  }
}

/// Moves an array out of a variable, so that the caller is its only owner and can change it without a copy.
private func moveOut<Element>(_ array: inout [Element]) -> [Element] {
  var taken: [Element] = []
  swap(&taken, &array)
  return taken
}
