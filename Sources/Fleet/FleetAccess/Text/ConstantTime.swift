/// Comparison of secrets.
enum ConstantTime {
  /// Whether two byte sequences are equal, in a time that depends on their lengths only.
  static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference == 0
  }
}
