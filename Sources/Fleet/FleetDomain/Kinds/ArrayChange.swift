import JSONText

/// The difference between two versions of a long array: the elements from the first to the last one that differ. If the
/// audit stored both versions as a whole, it would contain the whole array twice for each added element.
///
///     before  {"from":252,"elements":[]}
///     after   {"from":252,"elements":[{"event":"incident",…}]}
enum ArrayChange {
  /// If both versions have fewer elements than this, they are stored as a whole.
  static let least = 8

  /// Compares two versions of a value. Returns only the differing parts if both values are arrays and at least one has
  /// ``least`` elements; otherwise returns the whole values.
  static func parts(_ old: JSON, _ new: JSON) -> (before: JSON, after: JSON) {
    guard case .array(let old) = old, case .array(let new) = new, max(old.count, new.count) >= least else {
      return (old, new)
    }
    let common = min(old.count, new.count)
    let start = (0..<common).first { old[$0] != new[$0] } ?? common
    let end = (0..<(common - start)).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? common - start
    func part(_ array: [JSON]) -> JSON {
      .object(["from": Int64(start).json, "elements": .array(Array(array[start..<(array.count - end)]))])
    }
    return (part(old), part(new))
  }

  /// Reconstructs the older version of a value from a stored change and the whole newer version.
  ///
  /// - Parameters:
  ///   - before: the older value, or its differing part.
  ///   - after: the newer value, or its differing part; `nil` if the change contains no newer value.
  ///   - newer: the whole newer value.
  static func reverted(_ before: JSON, after: JSON?, in newer: JSON) throws(FieldError) -> JSON {
    guard case .array(let elements) = newer, case .object = before else { return before }
    guard let start = before["from"]?.integerValue, let after, after["from"]?.integerValue == start,
      case .array(let old)? = before["elements"], case .array(let new)? = after["elements"],
      start >= 0, start <= elements.count - new.count
    else { throw FieldError("", "expected a part of the array") }
    return .array(elements[..<Int(start)] + old + elements[(Int(start) + new.count)...])
  }
}
