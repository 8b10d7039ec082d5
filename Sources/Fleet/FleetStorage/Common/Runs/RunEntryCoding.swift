import FleetDomain
import Telemetry

/// Encodes the entries of a run as the value of a column, with about 20 bytes for each record.
///
/// The first byte is the version of the format, 1. Each entry follows:
///
/// | bytes | value |
/// |---|---|
/// | variable | the first half of the id minus that of the previous entry (of the first entry: unchanged) |
/// | 8 | the second half of the id, big-endian |
/// | variable | the time in ms minus that of the id; zigzag |
/// | variable | `seq` minus that of the previous entry, minus one; zigzag |
/// | variable | the time of reception in ms minus that of the previous entry; zigzag |
/// | 1 | the quality of the time in the low three bits; bit 3: the record has a position |
/// | variable | bytes between the previous body and this one, which belonged to removed records |
/// | variable | length of the body, bytes |
///
/// A variable number consists of groups of seven bits, the lowest first; bit 7 is set if another group follows.
enum RunEntryCoding {
  private static let format: UInt8 = 1

  static func bytes(_ entries: [RunEntry]) -> [UInt8] {
    var bytes: [UInt8] = [format]
    bytes.reserveCapacity(entries.count * 20 + 1)
    var (high, sequence, received, end) = (UInt64(0), Int64(0), Int64(0), 0)
    for entry in entries {
      append(entry.id.high &- high, to: &bytes)
      bytes.append(bigEndian: entry.id.low)
      append(zigzag(entry.time &- Int64(entry.id.milliseconds)), to: &bytes)
      append(zigzag(entry.sequence &- sequence &- 1), to: &bytes)
      append(zigzag(entry.received &- received), to: &bytes)
      bytes.append(entry.quality.rawValue | (entry.hasPosition ? 8 : 0))
      append(UInt64(entry.body.lowerBound - end), to: &bytes)
      append(UInt64(entry.body.count), to: &bytes)
      (high, sequence, received, end) = (entry.id.high, entry.sequence, entry.received, entry.body.upperBound)
    }
    return bytes
  }

  static func entries(_ bytes: [UInt8]) throws(StoreFailure) -> [RunEntry] {
    var reader = Reader(bytes: bytes)
    guard try reader.byte() == format else { throw TelemetryRun.damaged("entries of an unknown format") }
    var entries: [RunEntry] = []
    entries.reserveCapacity(bytes.count / 16)
    var (high, sequence, received, end) = (UInt64(0), Int64(0), Int64(0), 0)
    while !reader.isAtEnd {
      high &+= try reader.number()
      let low = try reader.word()
      let distance = try reader.difference()
      sequence = sequence &+ (try reader.difference()) &+ 1
      received = received &+ (try reader.difference())
      let flags = try reader.byte()
      guard let id = UUIDv7(high: high, low: low), let quality = StoredQuality(rawValue: flags & 7) else {
        throw TelemetryRun.damaged("invalid entry")
      }
      let start = end + (try reader.count())
      end = start + (try reader.count())
      entries.append(
        RunEntry(
          id: id, time: Int64(id.milliseconds) &+ distance, sequence: sequence, quality: quality, received: received,
          hasPosition: flags & 8 != 0, body: start..<end))
    }
    return entries
  }

  private static func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private struct Reader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(StoreFailure) -> UInt8 {
      guard position < bytes.count else { throw TelemetryRun.damaged("incomplete entries") }
      defer { position += 1 }
      return bytes[position]
    }

    mutating func word() throws(StoreFailure) -> UInt64 {
      guard bytes.count - position >= 8 else { throw TelemetryRun.damaged("incomplete entries") }
      defer { position += 8 }
      return bytes[position..<(position + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func number() throws(StoreFailure) -> UInt64 {
      var number: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        let byte = try byte()
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return number }
      }
      throw TelemetryRun.damaged("a number that is too long")
    }

    /// Reads a signed number in zigzag encoding (a difference).
    mutating func difference() throws(StoreFailure) -> Int64 {
      let number = try number()
      return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// Reads a count of bytes. The count must not exceed the total size of all bodies.
    mutating func count() throws(StoreFailure) -> Int {
      let number = try number()
      guard number <= UInt64(RunSelection.largestBodies) else { throw TelemetryRun.damaged("a body that is too long") }
      return Int(number)
    }
  }
}
