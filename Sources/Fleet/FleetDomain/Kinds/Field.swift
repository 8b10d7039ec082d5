/// One field of a kind: its key, its property in the Swift type, and its permitted uses.
///
/// JSON, database columns, OpenAPI schemas, filters, sorting, change sets and merges are loops over a kind's fields.
public struct Field<Owner: Kind>: Sendable {
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
  }

  /// The key in JSON.
  public let key: String
  public let type: FieldType
  /// The JSON Schema of the value, as JSON.
  public let schema: String
  public let isOptional: Bool
  public private(set) var access = Access.client
  /// Whether clients must provide it when they create the thing.
  public private(set) var isRequired = false
  public private(set) var isFilterable = false
  public private(set) var isSortable = false
  public private(set) var isTextSearched = false
  /// Whether it is personal data, which become unreadable when the person is erased.
  public private(set) var isPersonal = false

  /// Sets the field from JSON.
  let read: @Sendable (JSON, inout Owner) throws(FieldError) -> Void
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
    read = { json, owner throws(FieldError) in
      do throws(FieldError) {
        let value = try Value(json: json)
        try check?(value)
        owner[keyPath: path] = value
      } catch {
        throw error.inside(key)
      }
    }
    json = { $0[keyPath: path].json }
    copy = { $1[keyPath: path] = $0[keyPath: path] }
  }

  /// Whether a value is one of this field.
  public func accepts(_ json: JSON) -> Bool {
    var owner = Owner()
    do throws(FieldError) {
      try read(json, &owner)
      return true
    } catch {
      return false
    }
  }

  public func required() -> Self { with { $0.isRequired = true } }
  public func filterable() -> Self { with { $0.isFilterable = true } }
  public func sortable() -> Self { with { $0.isSortable = true } }
  public func textSearched() -> Self { with { $0.isTextSearched = true } }
  public func personal() -> Self { with { $0.isPersonal = true } }
  public func settable(by access: Access) -> Self { with { $0.access = access } }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
