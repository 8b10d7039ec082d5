/// The time of a thing, by which the parameters `from` and `to` restrict a list.
public enum ListTime: Sendable {
  /// The value of a field, or `createdAt`.
  case at(String)
  /// The period between the values of two fields. A period without an end continues.
  case period(start: String, end: String)
  /// The value of the first of these fields that has a value.
  case first([String])

  /// The keys of the fields.
  public var keys: [String] {
    switch self {
    case .at(let key): [key]
    case .period(let start, let end): [start, end]
    case .first(let keys): keys
    }
  }
}
