/// A question for things of one kind.
public struct ThingQuery<Value: Kind>: Sendable {
  /// What a field must be.
  public enum Condition: Hashable, Sendable {
    /// One of these values; `null`: the field has no value.
    case oneOf(key: String, [JSON])
    /// This value or one above it.
    case atLeast(key: String, JSON)
    /// A value below this one.
    case below(key: String, JSON)
  }

  /// A field by which things are ordered. Things without a value come last.
  public struct Order: Hashable, Sendable {
    public let key: String
    public let isDescending: Bool

    public init(_ key: String, isDescending: Bool = false) {
      self.key = key
      self.isDescending = isDescending
    }
  }

  /// All of them must hold. Keys are those of ``Kind/fields``, `id`, `createdAt` and `updatedAt`.
  public var conditions: [Condition] = []
  /// A text that is part of one of the text-searched fields, without regard to case; `nil`: any.
  public var text: String?
  /// Things with the same values are in the order of their ids, which is the order in which they were made.
  public var order: [Order] = []
  /// `next` of the page before, for the same question.
  public var cursor: String?
  /// 1 to 1,000.
  public var limit = 100

  public init() {}

  public init(_ conditions: Condition..., order: [Order] = [], limit: Int = 100) {
    self.conditions = conditions
    self.order = order
    self.limit = limit
  }

  /// The text that stands for the question, without the page: a cursor belongs to it.
  public var scope: String {
    var parts = conditions.map { condition in
      switch condition {
      case .oneOf(let key, let values): "\(key)=\(JSON.array(values).canonicalText)"
      case .atLeast(let key, let value): "\(key)>=\(value.canonicalText)"
      case .below(let key, let value): "\(key)<\(value.canonicalText)"
      }
    }
    parts += order.map { ($0.isDescending ? "-" : "+") + $0.key }
    if let text { parts.append("q=\(JSON.text(text).canonicalText)") }
    return "\(Value.names.many) \(parts.joined(separator: " "))"
  }
}
