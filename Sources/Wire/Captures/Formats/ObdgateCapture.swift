/// Captures in obdgate's own format (`.capture`).
///
///     # obdgate-capture 1
///     # vehicle: Volvo V40 2003   adapter: ELM327 v1.5   recorded: 2026-06-27T04:04:59.906Z   provenance: own car
///     0.200000 > 010C\r
///     0.328114 < 41 0C 0A
///     0.331020 < A0\r\r>
///     0.350000 g $GPRMC,…*6A\r\n
///
/// The file is UTF-8 with one event per line: seconds since the start with up to nine decimals; a space; `>` for bytes
/// sent to the adapter, `<` for bytes from the adapter, or `g` for bytes from the GNSS receiver; a space; the bytes,
/// with the escape sequences `\r \n \\ \xNN`. Lines that begin with `#` are comments. Comments before the first event
/// may contain `vehicle:`, `adapter:`, `recorded:` (RFC 3339) and `provenance:` in any order, on one or several lines.
extension CaptureReader {
  /// Reads a line.
  ///
  /// - Throws: `damagedLine` if it is not an event or a valid comment.
  mutating func captureLine<C: CaptureConsumer & ~Copyable>(
    _ line: Span<UInt8>, into consumer: inout C
  ) throws(CaptureError) {
    guard line.count > 0 else { return }
    if line[0] == UInt8(ascii: "#") {
      if !header.isAnnounced, !header.read(line) { throw damaged(line) }
      return
    }
    announceHeader(to: &consumer)
    var i = 0
    guard line[0].isDigit, case .seconds(let time)? = LogStamp.parse(line, at: &i),
      i + 1 < line.count, line[i] == 0x20
    else { throw damaged(line) }
    let direction: CaptureDirection
    switch line[i + 1] {
    case UInt8(ascii: ">"): direction = .toAdapter
    case UInt8(ascii: "<"): direction = .fromAdapter
    case UInt8(ascii: "g"): direction = .fromGPS
    default: throw damaged(line)
    }
    guard i + 2 == line.count || line[i + 2] == 0x20 else { throw damaged(line) }
    let payload = line.extracting(min(i + 3, line.count)..<line.count)
    scratch.removeAll(keepingCapacity: true)
    guard Escapes.undo(payload, into: &scratch) else { throw damaged(line) }
    deliver(direction, at: .offset(time), into: &consumer)
  }

  /// Passes the header to the consumer, unless this was done already.
  mutating func announceHeader<C: CaptureConsumer & ~Copyable>(to consumer: inout C) {
    guard !header.isAnnounced else { return }
    header.isAnnounced = true
    consumer.header(
      recorded: header.recorded, vehicle: header.vehicle.span, adapter: header.adapter.span,
      provenance: header.provenance.span)
  }
}

/// The fields in the comments at the start of a capture.
struct CaptureHeader {
  var isAnnounced = false
  var recorded: Int64?
  var vehicle: [UInt8] = []
  var adapter: [UInt8] = []
  var provenance: [UInt8] = []

  private enum Field: CaseIterable {
    case vehicle, adapter, recorded, provenance
    var key: StaticString {
      switch self {
      case .vehicle: "vehicle:"
      case .adapter: "adapter:"
      case .recorded: "recorded:"
      case .provenance: "provenance:"
      }
    }
  }

  /// Reads the header's fields from a comment line. A value ends where the next key begins.
  ///
  /// - Returns: `false` if `recorded` is not a date with a time.
  mutating func read(_ line: Span<UInt8>) -> Bool {
    var i = 1
    while let (field, start, _) = Self.nextField(line, from: i) {
      let first = line.skippingBlanks(from: start)
      let end = Self.nextField(line, from: first).map { $0.keyStart } ?? line.count
      let value = line.extracting(first..<max(first, end)).trimmingEnd()
      i = max(first, end)
      switch field {
      case .vehicle: Self.set(&vehicle, value)
      case .adapter: Self.set(&adapter, value)
      case .provenance: Self.set(&provenance, value)
      case .recorded:
        // A recorder that does not know the time writes no value, or a word such as "unknown".
        guard value.count > 0, value[0].isDigit else { continue }
        var at = 0
        guard case .wall(let time)? = LogStamp.parse(value, at: &at), at == value.count else { return false }
        recorded = time
      }
    }
    return true
  }

  private static func set(_ field: inout [UInt8], _ value: Span<UInt8>) {
    field.removeAll(keepingCapacity: true)
    field.append(bytes: value)
  }

  /// Returns the first key at or after `index` that follows a blank or `#`; `nil` if there is none.
  private static func nextField(_ line: Span<UInt8>, from index: Int) -> (field: Field, start: Int, keyStart: Int)? {
    var i = index
    while i < line.count {
      if line[i - 1].isBlank || line[i - 1] == UInt8(ascii: "#") {
        for field in Field.allCases where line.has(field.key, at: i) {
          return (field, i + field.key.utf8CodeUnitCount, i)
        }
      }
      i += 1
    }
    return nil
  }
}
