import JSONText

/// A finished record: its JSON text, and its values for output as text.
struct FinishedRecord {
  /// The JSON text with its line feed.
  let bytes: [UInt8]
  private let document: JSONDocument

  init(_ line: Span<UInt8>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count)
    for index in line.indices { bytes.append(line[index]) }
    self.init(bytes)
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      preconditionFailure("an encoder's line is JSON: \(error.description)")
    }
  }

  /// Returns the record with another sequence number (`seq`).
  func numbered(_ sequence: Int) -> FinishedRecord {
    guard let value = self["seq"], let digits = value.numberText else { return self }
    var bytes = bytes
    bytes.replaceSubrange(value.offset..<(value.offset + digits.utf8.count), with: "\(sequence)".utf8)
    return FinishedRecord(bytes)
  }

  var type: String { self["type"]?.string ?? "" }

  subscript(_ key: String) -> JSONValue? { document.root[key] }

  /// Returns the strings of an array; `nil` if the record does not have the key.
  func strings(_ key: String) -> [String]? { self[key].map { $0.elements.compactMap(\.string) } }
}

extension JSONValue {
  /// The value as text for users: a string, a number as it is written in JSON, or `yes` or `no` for a boolean.
  var plainText: String { string ?? numberText ?? bool.map { $0 ? "yes" : "no" } ?? "" }
}
