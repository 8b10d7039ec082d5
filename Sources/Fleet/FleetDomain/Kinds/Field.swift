/// One field of a kind or of a nested value: its key, its property in the Swift type, and whether it can be set,
/// filtered, sorted and searched.
///
/// JSON, database columns, OpenAPI schemas, filters, sorting, change sets and merges are all derived from the fields of
/// a kind.
public struct Field<Owner: Described>: Sendable {
  /// Who may set a field, and when.
  public enum Access: Sendable {
    /// Clients may set it whenever they create or change the thing.
    case client
    /// Clients may set it only when they create the thing.
    case creation
    /// Only the server sets it; clients can read it.
    case server
    /// Only the server sets it, and clients cannot read it.
    case hidden
    /// Only the server sets it; clients can read it. A change creates neither a new version of the thing nor an audit
    /// entry. Example: the time of the last record.
    case live
  }

  /// The key in JSON.
  public let key: String
  /// The name of the database column, for example `vehicle_id` for the key `vehicleId`.
  public let column: String
  public let type: FieldType
  /// The JSON Schema of the value, as JSON.
  public private(set) var schema: String
  /// A second key in JSON for the same field; `nil` for none.
  public private(set) var alias: String?
  public let isOptional: Bool
  /// Whether the value is a day (``CalendarDate``).
  public let isDay: Bool
  public private(set) var access = Access.client
  /// Whether a client that creates the thing must send it.
  public private(set) var isRequired = false
  /// Whether the server sets a value if a client creates a thing without this field.
  public private(set) var isFilledIn = false
  public private(set) var isFilterable = false
  /// Returns the field's values that the text of a filter selects. The property is `nil` if the text of a filter is
  /// itself a value of the field.
  private var parseFilter: (@Sendable (String) -> [JSON]?)?
  /// Further names of the field's filter, in addition to ``keys``.
  private var otherFilterNames: [String] = []
  public private(set) var isSortable = false
  public private(set) var isTextSearched = false
  /// Whether the field is personal data. When the person is erased, the field's old values in the audit become
  /// unreadable.
  public private(set) var isPersonal = false
  /// The quantity that the field contains, if clients may enter it in other units; otherwise `nil`.
  public private(set) var measure: Measure?
  /// The things to which the field refers by their ids; `nil` if it refers to none.
  public private(set) var reference: Reference?
  /// Whether the field contains the amounts that people entered for measured fields.
  let isEntered: Bool

  /// The names of the field's filter in queries; empty if the field is not filterable.
  public var filterNames: [String] { isFilterable ? keys + otherFilterNames : [] }

  /// The key, then the alias if there is one.
  public var keys: [String] { [key] + [alias].compactMap { $0 } }

  /// Sets the field of a thing from JSON that a client sent, after checking the value.
  ///
  /// - Throws: all errors of the value, not only the first.
  let read: @Sendable (JSON, inout Owner) throws(FieldErrors) -> Void
  /// Sets the field of a thing from stored JSON. Only the type of the value is checked.
  let load: @Sendable (JSON, inout Owner) throws(FieldError) -> Void
  public let json: @Sendable (Owner) -> JSON
  /// Applies a client's merge patch to the field's JSON.
  let merge: @Sendable (_ patch: JSON, _ old: JSON) -> JSON
  /// Copies the field's value from one thing to another.
  let copy: @Sendable (_ from: Owner, _ into: inout Owner) -> Void

  /// Creates a field.
  ///
  /// - Parameter check: throws if a value of the right type is not allowed.
  public init<Value: FieldValue>(
    _ key: String, _ path: WritableKeyPath<Owner, Value> & Sendable,
    _ check: (@Sendable (Value) throws(FieldError) -> Void)? = nil
  ) {
    self.key = key
    column = KindNames.snakeCase(key)
    type = Value.type
    schema = Value.schema
    isOptional = Value.isOptional
    isDay = Value.self is CalendarDate.Type || Value.self is CalendarDate?.Type
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
    isEntered = Value.self is EnteredAmounts.Type
    merge = { Value.merged(patch: $0, into: $1) }
    json = { $0[keyPath: path].json }
    copy = { $1[keyPath: path] = $0[keyPath: path] }
  }

  /// Returns a copy of `target` that has the field's value of `source`.
  public func copied(from source: Owner, into target: Owner) -> Owner {
    var copied = target
    copy(source, &copied)
    return copied
  }

  /// Converts a client's value to the format in which it is stored, for example an email address to lower case. Returns
  /// `nil` if the value is not valid for this field.
  public func accepted(_ json: JSON) -> JSON? {
    var owner = Owner()
    do throws(FieldErrors) {
      try read(json, &owner)
      return self.json(owner)
    } catch {
      return nil
    }
  }

  /// Returns the field's values that the text of a filter selects; `nil` if the text is not valid.
  public func filterValues(_ text: String) -> [JSON]? {
    if let parseFilter { return parseFilter(text) }
    let json: JSON? =
      switch type {
      case .flag: ["true": JSON.bool(true), "false": .bool(false)][text]
      case .integer: Int64(text).map { .integer($0) }
      case .real: Double(text).map { .number($0) }
      default: .text(text)
      }
    return json.flatMap { accepted($0) }.map { [$0] }
  }

  public func required() -> Self { with { $0.isRequired = true } }
  public func filledIn() -> Self { with { $0.isFilledIn = true } }
  /// Makes the field filterable.
  ///
  /// - Parameter name: another name of the filter, in addition to the field's keys.
  public func filterable(as name: String? = nil) -> Self {
    with {
      $0.isFilterable = true
      $0.otherFilterNames = [name].compactMap { $0 }
    }
  }
  /// Makes the field filterable by texts that are not simply values of the field.
  ///
  /// - Parameter parse: returns the values of the field that a text selects; `nil` if the text is not valid.
  public func filterable(parsing parse: @escaping @Sendable (String) -> [JSON]?) -> Self {
    with {
      $0.isFilterable = true
      $0.parseFilter = parse
    }
  }
  public func sortable() -> Self { with { $0.isSortable = true } }
  public func textSearched() -> Self { with { $0.isTextSearched = true } }
  public func personal() -> Self { with { $0.isPersonal = true } }
  /// Lets clients enter the field's number in other units. They send the entered amount in the thing's field of type
  /// ``EnteredAmounts``.
  public func measured(_ measure: Measure) -> Self { with { $0.measure = measure } }
  /// Declares that the field contains ids of other things. The server checks that a client may refer to them.
  public func refers(to reference: Reference) -> Self { with { $0.reference = reference } }
  public func settable(by access: Access) -> Self { with { $0.access = access } }
  /// Gives the field a second key in JSON.
  public func alias(_ key: String) -> Self { with { $0.alias = key } }

  /// Replaces the JSON Schema of the field's type by a schema that includes the limits of the value.
  ///
  /// - Parameter schema: the schema as JSON. For an optional field, `null` is added.
  public func schema(_ schema: String) -> Self {
    with { $0.schema = isOptional ? #"{"anyOf":[\#(schema),{"type":"null"}]}"# : schema }
  }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}

extension Field {
  /// Creates the field `entered`, which contains the amounts that people entered for measured fields.
  ///
  /// - Parameter fields: the keys of the measured fields, with their quantities.
  public static func entered(
    _ path: WritableKeyPath<Owner, EnteredAmounts> & Sendable, of fields: (key: String, measure: Measure)...
  ) -> Self {
    Field("entered", path).schema(EnteredAmounts.schema(of: fields))
  }
}
