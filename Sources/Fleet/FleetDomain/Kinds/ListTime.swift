/// The time of a thing, by which the parameters `from` and `to` restrict a list.
public enum ListTime: Sendable {
  /// The value of the field that has this key, or the time of creation if the key is `createdAt`.
  case at(String)
  /// The period between the values of two fields. If the end field has no value, the period has not ended.
  case period(start: String, end: String)
  /// The value of the first of these fields that is not empty.
  case first([String])

  /// The keys of the fields from which the time is read.
  public var keys: [String] {
    switch self {
    case .at(let key): [key]
    case .period(let start, let end): [start, end]
    case .first(let keys): keys
    }
  }
}
