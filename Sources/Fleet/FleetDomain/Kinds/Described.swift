import JSONText

/// A type that is described by a list of its fields: a kind of thing, or a value that is part of a thing.
public protocol Described: Equatable, Sendable {
  /// The fields, with unique keys.
  static var fields: [Field<Self>] { get }
  /// Keys that clients may send although no field has such a key. Their values are ignored.
  static var ignoredKeys: [String] { get }

  /// Creates a value in which no field is set.
  init()
}

extension Described {
  /// Creates a new value from JSON that a client sent.
  ///
  /// - Throws: all errors, not only the first.
  public init(client json: JSON) throws(FieldErrors) {
    self.init()
    var errors: [FieldError] = []
    var members = try Self.members(json, &errors)
    Self.resolve(&members, old: .null, &errors)
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

  /// Applies a client's change, a JSON merge patch (RFC 7396), and returns the result. If the patch contains an object
  /// for a field, this object is merged into the field's object.
  ///
  /// - Throws: all errors, not only the first.
  public func patched(with json: JSON) throws(FieldErrors) -> Self {
    try changed(with: json, ignoresLive: false) { $0.merge($2, $1) }
  }

  /// Applies a client's change and returns the result.
  ///
  /// - Parameters:
  ///   - ignoresLive: whether changed values of live fields are ignored. If `false`, they are rejected.
  ///   - apply: returns the new value of a field from its old value and the client's value.
  private func changed(
    with json: JSON, ignoresLive: Bool, _ apply: (_ field: Field<Self>, _ old: JSON, _ value: JSON) -> JSON
  ) throws(FieldErrors) -> Self {
    var patched = self
    var errors: [FieldError] = []
    var members = try Self.members(json, &errors)
    if let entered = Self.enteredField {
      let old = Self.fields.filter { $0.measure != nil }.map { ($0.key, $0.json(self)) }
      Self.resolve(
        &members, old: .object(Dictionary(old + [(entered.key, entered.json(self))]) { $1 }), &errors)
    }
    for field in Self.fields where field.access != .hidden {
      if field.access == .live, ignoresLive { continue }
      let old = field.json(self)
      guard let value = members[field.key].map({ apply(field, old, $0) }), value != old else { continue }
      guard field.access == .client else {
        errors.append(
          FieldError(
            field.key,
            field.access == .creation
              ? "this cannot be changed; leave it out" : "the server sets this; leave it out"))
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

  /// Applies a client's PUT and returns the result. Each field that clients may change gets its value from the object.
  /// If the object lacks the field, the field gets its initial value. Values of live fields are ignored, because they
  /// may change between the client's reading and writing.
  ///
  /// - Throws: all errors, not only the first.
  public func replaced(with json: JSON) throws(FieldErrors) -> Self {
    guard case .object(var members) = json else { return try changed(with: json, ignoresLive: true) { $2 } }
    for field in Self.fields where field.access == .client && members[field.key] == nil {
      if field.alias.flatMap({ members[$0] }) == nil { members[field.key] = field.json(Self()) }
    }
    return try changed(with: .object(members), ignoresLive: true) { $2 }
  }

  /// Creates a value from the database columns of its fields. Only the types of the values are checked, because an
  /// earlier release may have allowed other values.
  ///
  /// - Throws: the error of the first column with a wrong type.
  public init(columns: (Field<Self>) throws(FieldError) -> JSON) throws(FieldError) {
    self.init()
    for field in Self.fields { try field.load(try columns(field), &self) }
  }

  /// Returns the members of an object that a client sent, with each alias replaced by the field's key. Adds an error
  /// for each unknown key.
  ///
  /// - Throws: an error if the JSON is not an object.
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
