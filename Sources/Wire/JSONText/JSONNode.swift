/// A value or key of a parsed text: 16 bytes, without pointers. The nodes of a document are in the order of the text.
///
/// The descendants of an array or object (a container) follow it. In an object, each key is followed by its value.
struct JSONNode: BitwiseCopyable, Sendable {
  /// The type of a node.
  enum Kind: UInt8, BitwiseCopyable, Sendable { case object, array, string, number, `true`, `false`, null }

  /// Offset of the value's first byte in the text. The first byte of a string is its opening quote.
  var offset: UInt32
  /// For a string, offset of its value in ``JSONDocument/bytes``, which contains the text and then the decoded strings.
  /// For a number, offset of its first byte. For a container, number of its elements or members.
  var start: UInt32
  /// For a string or number, its length in bytes. For a container, index of the node after its last descendant.
  var extent: UInt32
  var kind: Kind
  /// Whether the node was left out because it is faulty (``JSONDocument/readReportingAllFaults(_:)``).
  var isLeftOut = false

  var isContainer: Bool { kind == .object || kind == .array }
}
