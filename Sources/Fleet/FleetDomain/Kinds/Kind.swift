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

  /// Returns the person whom the personal fields of the thing are about. By default this is the thing itself.
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

  public init(one: String, many: String) {
    self.one = one
    self.many = many
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

  /// A strong entity tag (RFC 9110, section 8.8.3).
  public var entityTag: String { "\"\(version)\"" }

  /// The JSON for clients.
  public var json: JSON {
    var members: [String: JSON] = ["id": id.json, "createdAt": createdAt.json, "updatedAt": updatedAt.json]
    for field in Value.fields where field.access != .hidden {
      let json = field.json(value)
      if json != .null { members[field.key] = json }
    }
    return .object(members)
  }
}

extension Kind {
  /// Parses a new thing from a client's JSON.
  ///
  /// - Throws: all errors, not only the first.
  public init(client json: JSON) throws(FieldErrors) {
    self.init()
    guard case .object(let members) = json else {
      throw FieldErrors([FieldError("", "expected an object, found \(json.summary)")])
    }
    var errors = Self.unknown(members)
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
    guard case .object(let members) = json else {
      throw FieldErrors([FieldError("", "expected an object, found \(json.summary)")])
    }
    var patched = self
    var errors = Self.unknown(members)
    for field in Self.fields where field.access != .hidden {
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

  /// Creates a thing from the columns of all its fields.
  ///
  /// - Throws: the first error.
  public init(columns: (Field<Self>) throws(FieldError) -> JSON) throws(FieldError) {
    self.init()
    for field in Self.fields { try field.read(try columns(field), &self) }
  }

  private static func unknown(_ members: [String: JSON]) -> [FieldError] {
    let known = fields.filter { $0.access != .hidden }.map(\.key)
    return members.keys.filter { !known.contains($0) && !["id", "createdAt", "updatedAt"].contains($0) }.sorted().map {
      FieldError($0, "no such field; expected \(known.joined(separator: ", "))")
    }
  }
}
