import Telemetry

/// A database table whose rows are part of a tenant's archive.
///
/// An archive contains everything of one tenant except sessions, passwords and second factors. It does not depend on
/// the kind of database: an archive from SQLite can be imported into PostgreSQL.
public struct ArchiveTable: Sendable {
  public enum ColumnType: Sendable {
    case text
    case integer
    case real
    /// An identifier; in the archive, the UUID as text.
    case identifier
    /// Bytes; in the archive, two hexadecimal digits for each byte.
    case bytes
  }

  public struct Column: Sendable {
    public let name: String
    public let type: ColumnType
    /// The value that an imported row gets in this column if the archive is of an earlier version and lacks the column.
    public let standard: JSON

    public init(_ name: String, _ type: ColumnType, standard: JSON = .null) {
      self.name = name
      self.type = type
      self.standard = standard
    }
  }

  public let name: String
  /// The columns except `tenant`.
  public let columns: [Column]
  /// The columns that identify a row. Rows are sorted by them. Empty if a tenant has only one row.
  public let key: [String]
  /// An SQL condition for the rows that are part of an archive; `nil` for all rows of the tenant.
  public let condition: String?
  /// Whether each row belongs to a vehicle. Such a table has no column `tenant`. Its column `vehicle` has the
  /// database's key of the vehicle, which the archive replaces by the vehicle's ID.
  public let isOfVehicles: Bool
  /// Checks a row. The keys of the parameter are the names of columns, and the values are the row's values. The path of
  /// an error begins with the name of the column.
  public let check: @Sendable ([String: JSON]) throws(FieldError) -> Void

  public init(
    _ name: String, key: [String], condition: String? = nil, isOfVehicles: Bool = false, _ columns: [Column],
    check: @escaping @Sendable ([String: JSON]) throws(FieldError) -> Void = { _ in }
  ) {
    self.check = check
    self.name = name
    self.key = key
    self.condition = condition
    self.isOfVehicles = isOfVehicles
    self.columns = columns
  }

  /// Creates the table of a kind of things.
  ///
  /// - Parameters:
  ///   - hidden: keys of the fields that are left out of the archive.
  ///   - more: columns in addition to those of the fields.
  ///   - isOfServer: returns whether the server itself made a row, from records. The values of such a row need not
  ///     satisfy the rules for clients.
  public init<Value: Kind>(
    _ kind: Value.Type, without hidden: Set<String> = [], adding more: [Column] = [],
    isOfServer: @escaping @Sendable ([String: JSON]) -> Bool = { _ in false }
  ) {
    let names = Value.names
    var columns = [
      Column(names.idColumn, .identifier), Column("version", .integer, standard: .integer(1)),
      Column(names.createdColumn, .integer, standard: .integer(0)), Column("updated", .integer, standard: .integer(0)),
    ]
    let standard = Value()
    for field in Value.fields where !hidden.contains(field.key) {
      columns.append(Column(field, of: standard))
    }
    if Value.fields.contains(where: \.isTextSearched) {
      columns.append(Column("search", .text, standard: .text("")))
    }
    self.init(names.table, key: [names.idColumn], condition: names.condition, columns + more) {
      row throws(FieldError) in
      try ArchivedValues.check(row, of: kind, isOfServer: isOfServer(row))
    }
  }
}

extension ArchiveTable.Column {
  fileprivate init<Value: Kind>(_ field: Field<Value>, of standard: Value) {
    let name = field.column
    let value = field.json(standard)
    switch field.type {
    case .text: self.init(name, .text, standard: value)
    case .real: self.init(name, .real, standard: value)
    case .identifier: self.init(name, .identifier, standard: value)
    case .integer: self.init(name, .integer, standard: value)
    case .flag: self.init(name, .integer, standard: .integer(value == .bool(true) ? 1 : 0))
    case .time:
      self.init(name, .integer, standard: (try? Timestamp(json: value)).map { .integer($0.milliseconds) } ?? .null)
    case .json: self.init(name, .text, standard: value == .null ? .null : .text(value.canonicalText))
    }
  }
}
