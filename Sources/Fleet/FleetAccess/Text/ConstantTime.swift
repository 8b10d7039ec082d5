/// Comparison of secrets in constant time.
enum ConstantTime {
  /// Whether two byte sequences are equal. The time of the comparison depends only on their lengths.
  static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference == 0
  }
}
