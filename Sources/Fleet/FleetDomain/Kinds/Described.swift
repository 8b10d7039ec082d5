import JSONText

/// A type that is described by its fields: a kind of thing, or a value inside a thing.
public protocol Described: Equatable, Sendable {
  /// The fields, with unique keys.
  static var fields: [Field<Self>] { get }
  /// Keys that clients may send although they are not fields. Their values are ignored.
  static var ignoredKeys: [String] { get }

  /// Creates a value with unset fields.
  init()
}

extension Described {
  /// Parses a new value from a client's JSON.
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
        do throws(FieldErrors) {
          try field.read(value, &self)
        } catch {
          errors += error.all
        }
      } else if field.isRequired {
        errors.append(FieldError(field.key, "expected a value, found none"))
      }
    }
    if !errors.isEmpty { throw FieldErrors(errors) }
  }

  /// Returns the value with a client's change: a JSON merge patch (RFC 7396). An object inside it is a merge patch of
  /// the object that the field has.
  ///
  /// - Throws: all errors, not only the first.
  public func patched(with json: JSON) throws(FieldErrors) -> Self { try changed(with: json) { $1.merged(into: $0) } }

  /// Returns the value with a client's change.
  ///
  /// - Parameter apply: returns the new value of a field, from the old one and that of the client.
  private func changed(with json: JSON, _ apply: (JSON, JSON) -> JSON) throws(FieldErrors) -> Self {
    var patched = self
    var errors: [FieldError] = []
    let members = try Self.members(json, &errors)
    for field in Self.fields where field.access != .hidden && field.access != .live {
      let old = field.json(self)
      guard let value = members[field.key].map({ apply(old, $0) }), value != old else { continue }
      guard field.access == .client else {
        errors.append(FieldError(field.key, "this cannot be changed; leave it out"))
        continue
      }
      guard value != .null || field.isOptional else {
        errors.append(FieldError(field.key, "expected a value, found null"))
        continue
      }
      do throws(FieldErrors) {
        try field.read(value, &patched)
      } catch {
        errors += error.all
      }
    }
    if !errors.isEmpty { throw FieldErrors(errors) }
    return patched
  }

  /// Returns the value after a client's PUT: fields that clients may change get the values of the object, or no value if
  /// the object lacks them.
  ///
  /// - Throws: all errors, not only the first.
  public func replaced(with json: JSON) throws(FieldErrors) -> Self {
    guard case .object(var members) = json else { return try changed(with: json) { $1 } }
    for field in Self.fields where field.access == .client && members[field.key] == nil {
      if field.alias.flatMap({ members[$0] }) == nil { members[field.key] = field.json(Self()) }
    }
    return try changed(with: .object(members)) { $1 }
  }

  /// Creates a value from the columns of all its fields. Values that an earlier release accepted are valid, although
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
    where !shown.contains(where: { $0.key == key }) && !ignoredKeys.contains(key) {
      errors.append(FieldError(key, JSONError.unknownKeyReason(key, among: known)))
    }
    return members
  }
}
