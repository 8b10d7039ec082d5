import JSONText

/// The general parser of records. It parses the records that ``RecordScanner`` cannot: those with escapes, characters
/// beyond ASCII, or errors.
struct RecordDocument {
  let root: JSONValue
  private(set) var fields = RecordFields()
  /// The values of the record's head (``RecordKey``), one after another, with escapes replaced. ``fields`` contains
  /// ranges of these bytes.
  private(set) var values: [UInt8] = []

  /// Parses a record.
  ///
  /// - Throws: the first error in the text.
  init(_ text: Span<UInt8>) throws(RecordRefusal) {
    do throws(JSONError) {
      root = try JSONDocument(parsing: text).root
    } catch {
      throw Self.refusal(error)
    }
    guard root.kind == .object else {
      throw RecordRefusal(.malformed, offset: root.offset, "expected a JSON object, found \(root.summary)")
    }
    try Self.refuseNull(in: root)
    for member in root.members {
      member.keyValue.withUTF8 { name in
        if let key = RecordKey(name) { add(key, member.value) }
      }
    }
  }

  private mutating func add(_ key: RecordKey, _ value: JSONValue) {
    let start = values.count
    value.withUTF8 { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe values.append(contentsOf: $0) } }
    let form: RecordFields.Form =
      switch value.kind {
      case .string: .string
      case .number: .number
      default: .other
      }
    fields[key] = RecordFields.Field(form: form, range: start..<values.count, offset: value.offset)
  }

  private static func refuseNull(in value: JSONValue) throws(RecordRefusal) {
    if value.isNull {
      throw RecordRefusal(
        .nullValue, key: value.path, offset: value.offset, "expected a value, found null: leave out what is not known")
    }
    for element in value.elements { try refuseNull(in: element) }
    for member in value.members { try refuseNull(in: member.value) }
  }

  private static func refusal(_ error: JSONError) -> RecordRefusal {
    let kind: RecordRefusal.Kind = if case .duplicateKey = error.kind { .duplicateKey } else { .malformed }
    return RecordRefusal(kind, key: error.path, offset: error.offset, error.reason)
  }
}
