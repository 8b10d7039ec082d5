import FleetDomain

/// The part of a file that a client requests (RFC 9110, section 14.1.2).
enum ByteRange: Equatable {
  /// The whole file: the request has no range, or the server ignores the range.
  case whole
  case part(ClosedRange<Int64>)
  /// The range contains no byte of the file.
  case unsatisfiable

  /// Parses the value of the header `Range`. A list of ranges is ignored, and so is a range in a unit other than bytes.
  ///
  /// - Parameter size: the length of the file in bytes; above 0.
  init(_ field: String?, size: Int64) {
    self = .whole
    guard let field, field.hasPrefix("bytes=") else { return }
    let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return }
    switch (first, last) {
    case (nil, nil): return
    case (nil, let count?): self = count == 0 ? .unsatisfiable : .part(max(size - count, 0)...(size - 1))
    case (let start?, nil): self = start < size ? .part(start...(size - 1)) : .unsatisfiable
    case (let start?, let end?):
      guard start <= end else { return }
      self = start < size ? .part(start...min(end, size - 1)) : .unsatisfiable
    }
  }

  /// Parses a number that consists of decimal digits.
  ///
  /// - Returns: `.some(nil)` if the text is empty; `nil` if the text is not a number.
  private static func number(_ text: Substring) -> Int64?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return .some(Int64(text) ?? .max)
  }
}
