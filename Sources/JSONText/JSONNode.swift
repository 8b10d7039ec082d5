/// One value or key of a parsed text, in the order of the text: 16 bytes, no pointer.
///
/// A container is followed by everything in it; an object's children are key, value, key, value.
struct JSONNode: BitwiseCopyable, Sendable {
  enum Kind: UInt8, BitwiseCopyable, Sendable { case object, array, string, number, `true`, `false`, null }

  /// First byte in the text (of a string: its opening quote).
  var offset: UInt32
  /// String: first byte of its value in the document's bytes, the decoded ones behind the text included.
  /// Number: first byte. Container: number of direct children (an object's members count once).
  var start: UInt32
  /// String, number: length in bytes. Container: index of the node behind its last descendant.
  var extent: UInt32
  var kind: Kind

  var isContainer: Bool { kind == .object || kind == .array }
}
