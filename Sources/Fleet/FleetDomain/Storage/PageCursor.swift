/// The position in a list at which a page ends. Clients receive it as a text that contains 40 bytes and a hash. The
/// hash is computed from these bytes, the query and the tenant, with a key of the store. A cursor that was changed, or
/// that belongs to another query or tenant, is therefore rejected.
public struct PageCursor: Equatable, Sendable {
  /// The time of the last record on the page, ms since 1970; with time spans (``RecordQuery/every``), the end of the
  /// last span.
  public var time: Int64
  public var idHigh: UInt64
  public var idLow: UInt64
  public var vehicle: Int32
  public var recordClass: Int16
  /// The `seq` of the last record; `nil` in cursors of an earlier version, which did not sort by `seq`.
  public var sequence: Int64?

  public init(
    time: Int64, sequence: Int64? = 0, idHigh: UInt64 = 0, idLow: UInt64 = 0, vehicle: Int32 = 0,
    recordClass: Int16 = 0
  ) {
    self.time = time
    self.sequence = sequence
    self.idHigh = idHigh
    self.idLow = idLow
    self.vehicle = vehicle
    self.recordClass = recordClass
  }

  /// Parses a cursor; `nil` unless it was made by ``text(scope:key:)`` with the same scope and key.
  public init?(_ text: String, scope: [UInt8], key: CursorKey) {
    guard let bytes = Hexadecimal.bytes(text), bytes.count == 48 else { return nil }
    let words = (0..<6).map { word in (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[word * 8 + $1]) } }
    guard key.sum(Array(bytes[..<40]), scope) == words[5] else { return nil }
    let isPacked = words[3] & Self.packed != 0
    self.init(
      time: Int64(bitPattern: words[0]), sequence: isPacked ? Int64(bitPattern: words[4]) : nil, idHigh: words[1],
      idLow: words[2], vehicle: Int32(truncatingIfNeeded: words[3]),
      recordClass: Int16(truncatingIfNeeded: isPacked ? words[3] >> 32 : words[4]))
  }

  /// The highest bit of the fourth word. If it is set, the fourth word contains the vehicle and the class, and the
  /// fifth word the `seq`. In cursors of an earlier version, it is not set: the fourth word is the vehicle, and the
  /// fifth the class.
  private static let packed: UInt64 = 1 << 63

  /// Returns the cursor as text.
  ///
  /// - Parameter scope: bytes that identify the query and its tenant.
  public func text(scope: [UInt8], key: CursorKey) -> String {
    let place = UInt64(UInt16(bitPattern: recordClass)) << 32 | UInt64(UInt32(bitPattern: vehicle))
    let words = [
      UInt64(bitPattern: time), idHigh, idLow, sequence == nil ? place & 0xFFFF_FFFF : place | Self.packed,
      sequence.map { UInt64(bitPattern: $0) } ?? UInt64(UInt16(bitPattern: recordClass)),
    ]
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    return Hexadecimal.text(bytes) + Hexadecimal.text(key.sum(bytes, scope))
  }

  /// Returns the cursor of a list that is sorted by text: the last text of the page, and a hash.
  public static func text(after last: String, scope: [UInt8], key: CursorKey) -> String {
    Hexadecimal.text(Array(last.utf8)) + Hexadecimal.text(key.sum(Array(last.utf8), scope))
  }

  /// Returns the last text of the previous page; `nil` unless ``text(after:scope:key:)`` made the cursor with the same
  /// scope.
  public static func last(of text: String, scope: [UInt8], key: CursorKey) -> String? {
    guard let bytes = Hexadecimal.bytes(text), bytes.count >= 8 else { return nil }
    let last = Array(bytes.dropLast(8))
    guard Array(bytes.suffix(8)) == Hexadecimal.bytes(Hexadecimal.text(key.sum(last, scope))) else { return nil }
    return String(decoding: last, as: UTF8.self)
  }
}

/// The key of the hashes in a store's cursors: 16 random bytes. It is stored in the database, so that all servers of
/// the database have the same key.
public struct CursorKey: Equatable, Sendable {
  private let words: (UInt64, UInt64)

  /// Creates a key; `nil` unless there are 16 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    words = (
      bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    )
  }

  public static func == (left: CursorKey, right: CursorKey) -> Bool { left.words == right.words }

  func sum(_ bytes: [UInt8], _ scope: [UInt8]) -> UInt64 {
    // The length is part of the input. Otherwise, other bytes with another scope could give the same input.
    SipHash(key: words).hash((bytes + [UInt8(truncatingIfNeeded: bytes.count)] + scope).span)
  }
}
