import JSONText
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
public protocol Kind: Equatable, Sendable {
  static var names: KindNames { get }
  /// The fields, with unique keys. `id`, `createdAt` and `updatedAt` are not listed, because all things have them.
  static var fields: [Field<Self>] { get }
  /// Whether changes are written to the audit.
  static var isAudited: Bool { get }

  /// Returns the person that the personal fields of the thing describe. By default, this is the thing itself.
  ///
  /// - Parameter id: id of the thing.
  func subject(id: UUIDv7) -> UUIDv7

  /// Creates a thing with unset fields.
  init()
}

extension Kind {
  public static var isAudited: Bool { true }
  public func subject(id: UUIDv7) -> UUIDv7 { id }
}

/// The names of a kind.
public struct KindNames: Sendable {
  /// The name in the audit and in messages, for example `fuelEntry`.
  public let one: String
  /// The name in routes, for example `fuel-entries`.
  public let many: String
  /// The column of the thing's id. A kind with a field `id` needs another column for it.
  public let idColumn: String
  /// The column of the time of creation.
  public let createdColumn: String

  public init(one: String, many: String, idColumn: String = "id", createdColumn: String = "created") {
    self.one = one
    self.many = many
    self.idColumn = idColumn
    self.createdColumn = createdColumn
  }

  /// The name of the database table: `fuel_entry`.
  public var table: String { Self.snakeCase(one) }

  /// Returns the name of a field's column: `vehicle_id` for `vehicleId`.
  public static func snakeCase(_ key: String) -> String {
    key.reduce(into: "") { text, character in
      if character.isUppercase { text += "_" }
      text += character.lowercased()
    }
  }
}

/// A stored thing.
public struct Stored<Value: Kind>: Equatable, Sendable {
  public let id: UUIDv7
  /// The number of the version, from 1.
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

  /// The members of the JSON for clients.
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

  /// The JSON for clients.
  public var json: JSON { .object(members) }
}

extension Kind {
  /// Parses a new thing from a client's JSON.
  ///
  /// - Throws: all errors, not only the first.
  public init(client json: JSON) throws(FieldErrors) {
    self.init()
    var errors: [FieldError] = []
    let members = try Self.members(json, &errors)
    for field in Self.fields where field.access != .hidden {
      if let value = members[field.key], value != .null || field.isOptional {
        guard field.access == .client || field.access == .creation else {
          errors.append(FieldError(field.key, "the server sets this; leave it out"))
          continue
        }
        do throws(FieldError) {
          try field.read(value, &self)
        } catch {
          errors.append(error)
        }
      } else if field.isRequired {
        errors.append(FieldError(field.key, "expected a value, found none"))
      }
    }
    if !errors.isEmpty { throw FieldErrors(errors) }
  }

  /// Returns the thing with a client's change: a JSON merge patch (RFC 7396).
  ///
  /// - Throws: all errors, not only the first.
  public func patched(with json: JSON) throws(FieldErrors) -> Self {
    var patched = self
    var errors: [FieldError] = []
    let members = try Self.members(json, &errors)
    for field in Self.fields where field.access != .hidden && field.access != .live {
      guard let value = members[field.key], value != field.json(self) else { continue }
      guard field.access == .client else {
        errors.append(FieldError(field.key, "this cannot be changed; leave it out"))
        continue
      }
      do throws(FieldError) {
        if value == .null, !field.isOptional { throw FieldError(field.key, "expected a value, found null") }
        try field.read(value, &patched)
      } catch {
        errors.append(error)
      }
    }
    if !errors.isEmpty { throw FieldErrors(errors) }
    return patched
  }

  /// Returns the thing after a client's PUT: fields that clients may change get the values of the object, or no value if
  /// the object lacks them.
  ///
  /// - Throws: all errors, not only the first.
  public func replaced(with json: JSON) throws(FieldErrors) -> Self {
    guard case .object(var members) = json else { return try patched(with: json) }
    for field in Self.fields where field.access == .client && members[field.key] == nil {
      if field.alias.flatMap({ members[$0] }) == nil { members[field.key] = field.json(Self()) }
    }
    return try patched(with: .object(members))
  }

  /// Creates a thing from the columns of all its fields. Values that an earlier release accepted are valid, although
  /// the checks of today refuse them.
  ///
  /// - Throws: the first value of a wrong type.
  public init(columns: (Field<Self>) throws(FieldError) -> JSON) throws(FieldError) {
    self.init()
    for field in Self.fields { try field.load(try columns(field), &self) }
  }

  /// Returns the members of a client's object, with the keys of fields instead of their aliases.
  ///
  /// - Throws: if it is not an object.
  private static func members(_ json: JSON, _ errors: inout [FieldError]) throws(FieldErrors) -> [String: JSON] {
    guard case .object(var members) = json else {
      throw FieldErrors([FieldError("", "expected an object, found \(json.summary)")])
    }
    for field in fields {
      guard let alias = field.alias, let value = members.removeValue(forKey: alias) else { continue }
      if let other = members[field.key], other != value {
        errors.append(FieldError(alias, "expected the value of \(field.key), of which this is another name"))
      }
      members[field.key] = value
    }
    let shown = fields.filter { $0.access != .hidden }
    let known = shown.filter { $0.access == .client || $0.access == .creation }.flatMap(\.keys)
    for key in members.keys.sorted()
    where !shown.contains(where: { $0.key == key }) && !["id", "createdAt", "updatedAt"].contains(key) {
      errors.append(FieldError(key, JSONError.unknownKeyReason(key, among: known)))
    }
    return members
  }
}
