import Telemetry

/// A text that the program's source contains.
public struct StaticText: Hashable, Sendable {
  public let text: String

  public init(_ text: StaticString) { self.text = text.description }
}

/// A query for things of one kind.
public struct ThingQuery<Value: Kind>: Sendable {
  /// A condition on a field.
  public enum Condition: Hashable, Sendable {
    /// The field has one of these values; `null` matches a field without a value.
    case oneOf(key: String, [JSON])
    /// The field has this value, which consists of letters. It is a part of the SQL text, so that a database can use an
    /// index that contains only the things with this value.
    case constant(key: String, StaticText)
    /// The field has this value or a higher one.
    case atLeast(key: String, JSON)
    /// The field has this value or a lower one.
    case atMost(key: String, JSON)
    /// The field has a value below this one.
    case below(key: String, JSON)
    /// The field has a value.
    case isSet(key: String)
    /// The field's JSON text contains at least one of these texts. They consist of letters, digits and `-`.
    case contains(key: String, [String])
    /// The field contains the id of a vehicle that belongs to one of these fleets.
    case vehicleInFleets(key: String, [UUIDv7])
    /// At least one of these lists is satisfied. A list is satisfied if all of its conditions are satisfied.
    indirect case anyOf([[Condition]])
  }

  /// A field by which things are sorted. Things without a value come last.
  public struct Order: Hashable, Sendable {
    public let key: String
    public let isDescending: Bool

    public init(_ key: String, isDescending: Bool = false) {
      self.key = key
      self.isDescending = isDescending
    }
  }

  /// Conditions that must all hold. Their keys are `id`, `createdAt`, `updatedAt`, or keys of ``Kind/fields``.
  public var conditions: [Condition] = []
  /// At most 8 words, separated by spaces. Each word must occur in one of the text-searched fields; case is ignored.
  /// `nil` if things are not selected by text.
  public var text: String?
  /// The fields by which things are sorted. Things with equal values are sorted by their ids, that is, by their time of
  /// creation.
  public var order: [Order] = []
  /// The ``Page/next`` of the previous page of the same query; `nil` for the first page.
  public var cursor: String?
  /// Maximum number of things on a page, 1 to 1,000.
  public var limit = 100
  /// Whether rows that cannot be read are left out and named in ``Page/unreadable``. If `false`, such a row is an
  /// error, so that a check of a rule does not overlook a thing.
  public var leavesOutUnreadable = false

  public init() {}

  public init(_ conditions: Condition..., order: [Order] = [], limit: Int = 100) {
    self.conditions = conditions
    self.order = order
    self.limit = limit
  }

  /// A text that identifies the query. It is the same for all of its pages, and a cursor is valid only for queries with
  /// the same text.
  public var scope: String {
    var parts = conditions.map(Self.text)
    parts += order.map { ($0.isDescending ? "-" : "+") + $0.key }
    if let text { parts.append("q=\(JSON.text(text).canonicalText)") }
    return "\(Value.names.many) \(parts.joined(separator: " "))"
  }

  private static func text(_ condition: Condition) -> String {
    switch condition {
    case .oneOf(let key, let values): "\(key)=\(JSON.array(values).canonicalText)"
    case .constant(let key, let value): "\(key)=\(value.text)"
    case .atLeast(let key, let value): "\(key)>=\(value.canonicalText)"
    case .atMost(let key, let value): "\(key)<=\(value.canonicalText)"
    case .below(let key, let value): "\(key)<\(value.canonicalText)"
    case .isSet(let key): "\(key)=*"
    case .contains(let key, let texts): "\(key)~\(JSON.array(texts.map { .text($0) }).canonicalText)"
    case .vehicleInFleets(let key, let fleets): "\(key) in \(JSON.array(fleets.map(\.json)).canonicalText)"
    case .anyOf(let lists): "(\(lists.map { $0.map(text).joined(separator: " ") }.joined(separator: "|")))"
    }
  }
}
