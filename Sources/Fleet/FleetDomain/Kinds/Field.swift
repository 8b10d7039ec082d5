/// One field of a kind or of a nested value: its key, its property in the Swift type, and its permitted uses.
///
/// JSON, database columns, OpenAPI schemas, filters, sorting, change sets and merges are all derived from the fields of
/// a kind.
public struct Field<Owner: Described>: Sendable {
  /// The permission to set a field.
  public enum Access: Sendable {
    /// Clients may set it when they create or change the thing.
    case client
    /// Clients may set it only when they create the thing.
    case creation
    /// Only the server sets it; clients can read it.
    case server
    /// Only the server sets it, and clients cannot read it.
    case hidden
    /// Only the server sets it, without a new version of the thing and without an audit entry: for example the time of
    /// the last record. Clients can read it.
    case live
  }

  /// The key in JSON.
  public let key: String
  public let type: FieldType
  /// The JSON Schema of the value, as JSON.
  public private(set) var schema: String
  /// A second key in JSON with the same value; `nil` if there is none.
  public private(set) var alias: String?
  public let isOptional: Bool
  public private(set) var access = Access.client
  /// Whether clients must provide it when they create the thing.
  public private(set) var isRequired = false
  /// Whether the server sets a value when it creates a thing without one.
  public private(set) var isFilledIn = false
  public private(set) var isFilterable = false
  /// Names of the filter in addition to ``keys``.
  private var otherFilterNames: [String] = []
  public private(set) var isSortable = false
  public private(set) var isTextSearched = false
  /// Whether it is personal data, which become unreadable when the person is erased.
  public private(set) var isPersonal = false

  /// The names of the filter in queries; empty if the field is not filterable.
  public var filterNames: [String] { isFilterable ? keys + otherFilterNames : [] }

  /// The key, and the alias if there is one.
  public var keys: [String] { [key] + [alias].compactMap { $0 } }

  /// Sets the field from a client's JSON.
  ///
  /// - Throws: all errors of the value, not only the first.
  let read: @Sendable (JSON, inout Owner) throws(FieldErrors) -> Void
  /// Sets the field from stored JSON: the type must be right, but the value is not checked.
  let load: @Sendable (JSON, inout Owner) throws(FieldError) -> Void
  public let json: @Sendable (Owner) -> JSON
  /// Copies the field from one version to another.
  let copy: @Sendable (_ from: Owner, _ into: inout Owner) -> Void

  /// - Parameter check: throws if a value of the right type is not allowed.
  public init<Value: FieldValue>(
    _ key: String, _ path: WritableKeyPath<Owner, Value> & Sendable,
    _ check: (@Sendable (Value) throws(FieldError) -> Void)? = nil
  ) {
    self.key = key
    type = Value.type
    schema = Value.schema
    isOptional = Value.isOptional
    read = { json, owner throws(FieldErrors) in
      let value: Value
      do throws(FieldErrors) {
        value = try Value.parsed(client: json)
      } catch {
        throw error.inside(key)
      }
      do throws(FieldError) {
        try check?(value)
      } catch {
        throw FieldErrors([error.inside(key)])
      }
      owner[keyPath: path] = value
    }
    load = { json, owner throws(FieldError) in
      do throws(FieldError) {
        owner[keyPath: path] = try Value(json: json)
      } catch {
        throw error.inside(key)
      }
    }
    json = { $0[keyPath: path].json }
    copy = { $1[keyPath: path] = $0[keyPath: path] }
  }

  /// Whether a value is valid for this field.
  ///
  /// - Returns: the value in its stored form, such as an email address in lower case; `nil` if it is none.
  public func accepted(_ json: JSON) -> JSON? {
    var owner = Owner()
    do throws(FieldErrors) {
      try read(json, &owner)
      return self.json(owner)
    } catch {
      return nil
    }
  }

  public func required() -> Self { with { $0.isRequired = true } }
  public func filledIn() -> Self { with { $0.isFilledIn = true } }
  /// - Parameter name: a second name of the filter.
  public func filterable(as name: String? = nil) -> Self {
    with {
      $0.isFilterable = true
      $0.otherFilterNames = [name].compactMap { $0 }
    }
  }
  public func sortable() -> Self { with { $0.isSortable = true } }
  public func textSearched() -> Self { with { $0.isTextSearched = true } }
  public func personal() -> Self { with { $0.isPersonal = true } }
  public func settable(by access: Access) -> Self { with { $0.access = access } }
  /// Gives the field a second key in JSON.
  public func alias(_ key: String) -> Self { with { $0.alias = key } }

  /// Replaces the JSON Schema of the type by one that also contains the limits of the value.
  ///
  /// - Parameter schema: JSON; of an optional field without `null`.
  public func schema(_ schema: String) -> Self {
    with { $0.schema = isOptional ? #"{"anyOf":[\#(schema),{"type":"null"}]}"# : schema }
  }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
