import Telemetry

/// A kind of thing that the fleet stores: a person, a driver, an expense.
///
/// A kind lists its fields once. Its rules (state machine, invariants) are separate Swift code.
///
///     struct Expense: Kind {
///       var vehicleID: String?
///       var notes: String?
///
///       static let names = KindNames(one: "expense", many: "expenses")
///       static let fields = [
///         Field<Expense>("vehicleId", \.vehicleID).filterable(),
///         Field<Expense>("notes", \.notes).textSearched(),
///       ]
///     }
///
/// `id`, `createdAt` and `updatedAt` are not among the fields, because all things have them.
public protocol Kind: Described {
  static var names: KindNames { get }
  /// Whether changes are written to the audit.
  static var isAudited: Bool { get }
  /// Maximum number of things of this kind that the clients of a tenant may create; `nil` for no limit. A kind needs a
  /// limit if the server works for its things in the background, because all tenants share the processors.
  static var mostOfTenant: Int? { get }
  /// The time by which the parameters `from` and `to` restrict a list of things; `nil` if things of this kind have no
  /// time. By default, this is the field `at` if the kind has one.
  static var listTime: ListTime? { get }

  /// Returns the id of the person whom the thing's personal fields describe. By default, this is the id of the thing
  /// itself.
  ///
  /// - Parameter id: id of the thing.
  func subject(id: UUIDv7) -> UUIDv7

  /// The key of the field that contains the IDs of the files that the thing refers to.
  static var filesKey: String { get }
  /// IDs of the files that the thing refers to. The storage keeps these files while the thing refers to them.
  var usedFiles: [UUIDv7] { get }
}

extension Kind {
  public static var isAudited: Bool { true }
  public static var mostOfTenant: Int? { nil }
  public static var listTime: ListTime? { fields.contains { $0.key == "at" && $0.type == .time } ? .at("at") : nil }
  public static var ignoredKeys: [String] { ["id", "createdAt", "updatedAt"] }
  public func subject(id: UUIDv7) -> UUIDv7 { id }
  public static var filesKey: String { "fileIds" }
  public var usedFiles: [UUIDv7] { [] }
}

/// The names of a kind.
public struct KindNames: Sendable {
  /// The name of one thing in the audit and in messages, for example `fuelEntry`.
  public let one: String
  /// The name of the kind in routes, for example `fuel-entries`.
  public let many: String
  /// The name of the column that contains a thing's id. A kind with a field `id` must use another name for this column.
  public let idColumn: String
  /// The name of the column that contains the time of creation.
  public let createdColumn: String
  /// The name of the database table: `fuel_entry`.
  public let table: String
  /// An SQL condition for those rows of the table that are things of this kind; `nil` if all rows are.
  public let condition: String?

  public init(
    one: String, many: String, idColumn: String = "id", createdColumn: String = "created", condition: String? = nil
  ) {
    self.one = one
    self.many = many
    self.idColumn = idColumn
    self.createdColumn = createdColumn
    table = Self.snakeCase(one)
    self.condition = condition
  }

  /// Converts a name to lower case with underscores between its words: `vehicleId` to `vehicle_id`.
  static func snakeCase(_ key: String) -> String {
    key.reduce(into: "") { text, character in
      if character.isUppercase { text += "_" }
      text += character.lowercased()
    }
  }
}

/// A stored thing, with its id, version and times.
public struct Stored<Value: Kind>: Equatable, Sendable {
  public let id: UUIDv7
  /// The number of this version of the thing, from 1.
  public var version: Int64
  public let createdAt: Timestamp
  public var updatedAt: Timestamp
  public var value: Value

  public init(id: UUIDv7, version: Int64, createdAt: Timestamp, updatedAt: Timestamp, value: Value) {
    self.id = id
    self.version = version
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.value = value
  }

  /// The members of the thing's JSON object, as clients receive it.
  public var members: [String: JSON] {
    var members: [String: JSON] = ["id": id.json, "createdAt": createdAt.json, "updatedAt": updatedAt.json]
    for field in Value.fields where field.access != .hidden {
      let json = field.json(value)
      guard json != .null else { continue }
      members[field.key] = json
      if let alias = field.alias { members[alias] = json }
    }
    return members
  }

  /// The thing as JSON, as clients receive it.
  public var json: JSON { .object(members) }
}
