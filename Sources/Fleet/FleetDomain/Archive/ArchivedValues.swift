import Telemetry

/// Functions that check the values of an archive before they are stored.
public enum ArchivedValues {
  /// Checks an archive's row that contains a thing: the types of all values, and the API's rules for values that
  /// clients can set. Those rules do not apply if the server made the row (`isOfServer`).
  static func check<Value: Kind>(
    _ row: [String: JSON], of kind: Value.Type, isOfServer: Bool
  ) throws(FieldError) {
    let names = Value.names
    if let id = row[names.idColumn] { try check(names.idColumn) { () throws(FieldError) in _ = try UUIDv7(json: id) } }
    try requireNumber(row, "version", in: 1...(.max))
    for column in [names.createdColumn, "updated"] { try requireTime(row, column) }
    for field in Value.fields {
      guard let stored = row[field.column] else { continue }
      try check(field.column) { () throws(FieldError) in
        let json = try archived(stored, field.type)
        var value = Value()
        do throws(FieldErrors) {
          do throws(FieldError) {
            try field.load(json, &value)
          } catch {
            throw FieldErrors([error])
          }
          let isSetByClients = field.access == .client || field.access == .creation
          if isSetByClients, !isOfServer, json != .null { try field.read(json, &value) }
        } catch {
          let first = error.all.first ?? FieldError(field.key, "not a value of this field")
          throw FieldError(String(first.path.dropFirst(field.key.count)), first.message)
        }
      }
    }
  }

  /// Checks that a column contains an integer in a range. The check succeeds if the row lacks the column.
  public static func requireNumber(
    _ row: [String: JSON], _ column: String, in range: ClosedRange<Int64>, isOptional: Bool = false
  ) throws(FieldError) {
    guard let json = row[column], !isOptional || json != .null else { return }
    guard let number = json.integerValue, range.contains(number) else {
      throw FieldError(
        column, "expected an integer from \(range.lowerBound) to \(range.upperBound), found \(json.summary)")
    }
  }

  /// Checks that a column contains a time, in ms since 1970. The check succeeds if the row lacks the column.
  public static func requireTime(
    _ row: [String: JSON], _ column: String, isOptional: Bool = false
  ) throws(FieldError) {
    guard let json = row[column], !isOptional || json != .null else { return }
    try check(column) { () throws(FieldError) in _ = try archived(json, .time) }
  }

  /// Checks that a column contains a text that satisfies a condition. The check succeeds if the row lacks the column.
  ///
  /// - Parameter expected: a description of the condition.
  public static func requireText(
    _ row: [String: JSON], _ column: String, _ expected: String, isOptional: Bool = false,
    _ condition: (String) -> Bool
  ) throws(FieldError) {
    guard let json = row[column], !isOptional || json != .null else { return }
    guard let text = json.textValue, condition(text) else {
      throw FieldError(column, "expected \(expected), found \(json.summary)")
    }
  }

  private static func check(
    _ column: String, _ work: () throws(FieldError) -> Void
  ) throws(FieldError) {
    do throws(FieldError) {
      try work()
    } catch {
      let path = error.path.isEmpty || error.path.hasPrefix("[") ? error.path : ".\(error.path.drop { $0 == "." })"
      throw FieldError(column + path, error.message)
    }
  }

  /// Converts a column's value from an archive to the JSON value of the field that the column stores.
  private static func archived(_ json: JSON, _ type: FieldType) throws(FieldError) -> JSON {
    switch (type, json) {
    case (_, .null): return .null
    case (.flag, _):
      guard let number = json.integerValue, (0...1).contains(number) else {
        throw FieldError("", "expected 0 or 1, found \(json.summary)")
      }
      return .bool(number == 1)
    case (.time, _):
      let limit = Int64.max / 1_000_000
      guard let number = json.integerValue, (-limit...limit).contains(number) else {
        throw FieldError("", "expected a time in ms since 1970, found \(json.summary)")
      }
      return Timestamp(limiting: number).json
    case (.json, _):
      guard let text = json.textValue else { throw FieldError("", "expected JSON as a text, found \(json.summary)") }
      return try JSON(parsing: Array(text.utf8))
    case (.text, .text(let text)):
      // Line breaks and tabs are allowed, because they occur in notes.
      let isControl: (Unicode.Scalar) -> Bool = { scalar in
        scalar.properties.generalCategory == .control && !["\t", "\n", "\r"].contains(scalar)
      }
      guard !text.unicodeScalars.contains(where: isControl) else {
        throw FieldError("", "expected a text without control characters, found \(json.summary)")
      }
      return json
    default: return json
    }
  }
}
