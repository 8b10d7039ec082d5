import Telemetry

/// Converts times to the values of columns, which are milliseconds since 1970, and back.
enum StoredTime {
  /// The value for a record without a time. It is lower than all other values.
  static let undated = Int64.min

  static func column(_ time: Timestamp?) -> Int64 { time?.milliseconds ?? undated }

  static func time(_ column: Int64) -> Timestamp? { column == undated ? nil : timestamp(column) }

  /// Converts the value of a column, except ``undated``, to a time.
  static func timestamp(_ column: Int64) -> Timestamp {
    // If the time cannot be represented in ns, use the nearest time that can.
    let (product, overflow) = column.multipliedReportingOverflow(by: 1_000_000)
    return Timestamp(nanoseconds: overflow ? (column < 0 ? .min : .max) : product)
  }

  /// Returns a time in ms, rounded up, for comparisons with columns.
  static func bound(_ time: Timestamp) -> Int64 {
    time.nanoseconds % 1_000_000 == 0 ? time.milliseconds : time.milliseconds + 1
  }
}

extension UUIDv7 {
  /// The 16 bytes in big-endian order. They sort in the same way as the text of the identifier.
  var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> (56 - 8 * UInt64($0 & 7))) }
  }

  /// Creates an identifier; `nil` unless these are the 16 bytes of a UUID of version 7.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(high: high, low: low)
  }

  /// Creates an identifier; `nil` unless version and variant are those of version 7 (RFC 9562, section 5.7).
  init?(high: UInt64, low: UInt64) {
    guard high >> 12 & 0xF == 7, low >> 62 == 2 else { return nil }
    self.init(milliseconds: high >> 16, first: high, rest: low)
  }
}
