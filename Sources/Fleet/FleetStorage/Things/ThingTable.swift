import FleetDomain
import Telemetry

/// The database table of a kind: its columns, and the conversion of things to rows and of rows to things.
///
/// Every table has the columns `tenant`, `id`, `version`, `created` and `updated`, and a column for each field. If
/// fields are text-searched, it also has the column `search`.
enum ThingTable<Value: Kind> {
  static var hasSearch: Bool { Value.fields.contains(where: \.isTextSearched) }

  /// Returns the name of a field's column, in quotes because some names are reserved words of SQL.
  static func column(_ field: Field<Value>) -> String { "\"" + field.column + "\"" }

  /// The columns of a thing, separated by commas, in the order in which ``stored(_:)`` reads them.
  static var columns: String { allColumns.joined(separator: ", ") }

  /// Returns ``columns``, each with the name of the table, for a statement that also reads another table.
  static func columns(of table: String) -> String { allColumns.map { "\(table).\($0)" }.joined(separator: ", ") }

  static var columnCount: Int { Value.fields.count + 4 }

  private static var allColumns: [String] {
    [Value.names.idColumn, "version", Value.names.createdColumn, "updated"] + Value.fields.map(column)
  }

  /// The fields that ``ThingSession/update(_:to:action:)`` writes: all except ``FleetDomain/Field/Access/live`` fields,
  /// which change without a new version of the thing.
  static var changedFields: [Field<Value>] { Value.fields.filter { $0.access != .live } }

  /// Returns the column and the type of a key in a query; `nil` if the kind has no such key.
  static func place(of key: String) -> (column: String, type: FieldType)? {
    if let field = Value.fields.first(where: { $0.key == key }) { return (column(field), field.type) }
    return switch key {
    case "id": (Value.names.idColumn, .identifier)
    case "createdAt": (Value.names.createdColumn, .time)
    case "updatedAt": ("updated", .time)
    default: nil
    }
  }

  static func stored(_ row: SQLRow) throws(StoreFailure) -> Stored<Value> {
    guard let id = row.identifier(0) else { throw StoreFailure(.damaged, Value.names.table, "a row without an id") }
    var column = 3
    do throws(FieldError) {
      let value = try Value { field throws(FieldError) in
        column += 1
        return json(row.values[column], field.type)
      }
      return Stored(
        id: id, version: row.integer(1), createdAt: StoredTime.timestamp(row.integer(2)),
        updatedAt: StoredTime.timestamp(row.integer(3)), value: value)
    } catch {
      throw StoreFailure(.damaged, "\(Value.names.table) \(id.string)", "\(error.path): \(error.message)")
    }
  }

  /// Returns the values of fields for their columns. If the table has a column `search`, its value follows.
  static func values(_ value: Value, _ fields: [Field<Value>] = Value.fields) throws(StoreFailure) -> [SQLValue] {
    var values: [SQLValue] = []
    for field in fields { values.append(try sqlValue(field.json(value), field.type, field.key)) }
    if hasSearch {
      let texts = Value.fields.filter(\.isTextSearched).compactMap { $0.json(value).textValue }
      values.append(.text(texts.joined(separator: "\n").lowercased()))
    }
    return values
  }

  static func sqlValue(_ json: JSON, _ type: FieldType, _ key: String) throws(StoreFailure) -> SQLValue {
    if json == .null { return .null }
    let value: SQLValue? =
      switch type {
      case .text: json.textValue.map { .text($0) }
      case .integer: json.integerValue.map { .integer($0) }
      case .real: json.numberValue.map { .real($0) }
      case .flag:
        switch json {
        case .bool(let flag): .integer(flag ? 1 : 0)
        default: nil
        }
      case .time: (try? Timestamp(json: json)).map { .integer($0.milliseconds) }
      case .identifier: (try? UUIDv7(json: json)).map { .identifier($0) }
      case .json: .text(json.canonicalText)
      }
    if case .text(let text)? = value, text.utf8.contains(0) {
      // PostgreSQL cannot store U+0000.
      throw StoreFailure(.invalidQuery, Value.names.many, "\(key): a text with the character U+0000")
    }
    guard let value else {
      throw StoreFailure(.invalidQuery, Value.names.many, "\(key): not a value of this field: \(json.summary)")
    }
    return value
  }

  static func json(_ value: SQLValue, _ type: FieldType) -> JSON {
    switch (type, value) {
    case (.text, .text(let text)): .text(text)
    case (.integer, .integer(let number)): .integer(number)
    case (.real, .real(let number)): number.json
    case (.real, .integer(let number)): .integer(number)
    case (.flag, .integer(let number)): .bool(number != 0)
    case (.time, .integer(let number)): StoredTime.time(number)?.json ?? .null
    case (.identifier, .identifier(let id)): id.json
    case (.identifier, .bytes(let bytes)): UUIDv7(bytes: bytes)?.json ?? .null
    case (.json, .text(let text)): (try? JSON(parsing: Array(text.utf8))) ?? .null
    default: .null
    }
  }
}
