/// A value or key of a parsed text: 16 bytes, without pointers. Nodes are in the order of the text.
///
/// The descendants of a container follow it; those of an object alternate between keys and values.
struct JSONNode: BitwiseCopyable, Sendable {
  /// The type of a node.
  enum Kind: UInt8, BitwiseCopyable, Sendable { case object, array, string, number, `true`, `false`, null }

  /// Offset of its first byte in the text; a string starts at its opening quote.
  var offset: UInt32
  /// For a string, offset of its value in the document's bytes, which include the decoded values after the text. For a
  /// number, offset of its first byte. For a container, number of direct children (members for an object).
  var start: UInt32
  /// For a string or number, its length in bytes. For a container, index of the node after its last descendant.
  var extent: UInt32
  var kind: Kind
  /// Whether the node counts as absent, because it is faulty (``JSONDocument/readReportingAllFaults(_:)``).
  var isLeftOut = false

  var isContainer: Bool { kind == .object || kind == .array }
}
