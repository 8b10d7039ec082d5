import FleetDomain

/// A part of a content that a client requests (RFC 9110, 14.1.2).
enum ByteRange: Equatable {
  /// The whole content: the request has no range, or one that the server ignores.
  case whole
  case part(ClosedRange<Int64>)
  /// The range contains no byte of the content.
  case unsatisfiable

  /// Parses the header `Range`. Lists of ranges are ignored, as is a range of another unit.
  ///
  /// - Parameter size: the length of the content; above 0.
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

  /// Parses a number of digits.
  ///
  /// - Returns: a missing number as the inner `nil`, and an invalid one as the outer `nil`.
  private static func number(_ text: Substring) -> Int64?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return .some(Int64(text) ?? .max)
  }
}
