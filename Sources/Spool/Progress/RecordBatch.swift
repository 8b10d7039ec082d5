import Telemetry

/// Records on their way to one sink: finished lines, one behind the other. Filled by
/// ``Spool/nextBatch(for:limit:at:into:)``, emptied by it the next time; its memory stays.
public struct RecordBatch: Sendable {
  /// Where a record is kept.
  public enum Source: Hashable, Sendable {
    /// In memory only, in the so-manieth epoch of its own.
    case memory(UInt32)
    /// In a file: the so-manieth that this process has made or found.
    case file(UInt32)
  }

  /// How a sink names a record to the spool.
  public struct Number: Hashable, Sendable {
    public var source: Source
    /// As the record says it: `seq`.
    public var sequence: UInt64

    public init(_ sequence: UInt64, in source: Source) {
      self.source = source
      self.sequence = sequence
    }
  }

  /// One record.
  public struct Record: Sendable {
    public let number: Number
    public let type: RecordType
    /// Its line in ``bytes``, line feed included.
    public let range: Range<Int>
  }

  /// How many records and bytes a batch may have; one record is given even where it is longer.
  public struct Limit: Sendable {
    public var records: Int
    public var bytes: Int

    public init(records: Int = 100, bytes: Int = 1 << 18) {
      self.records = records
      self.bytes = bytes
    }
  }

  /// All lines.
  public internal(set) var bytes: [UInt8] = []
  /// In the order of their lines.
  public internal(set) var records: [Record] = []

  public init() {}

  public var isEmpty: Bool { records.isEmpty }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
  }

  /// Takes the record whose line was just written behind the others; false, and the line is taken back, where it passes
  /// the limit.
  mutating func take(_ number: Number, _ type: RecordType, from start: Int, _ limit: Limit) -> Bool {
    guard records.isEmpty || records.count < limit.records && bytes.count <= limit.bytes else {
      bytes.removeSubrange(start...)
      return false
    }
    records.append(Record(number: number, type: type, range: start..<bytes.count))
    return true
  }

  /// Writes all lines anew; the records stay the same.
  ///
  /// - Parameter write: appends the line that takes a record's place.
  public mutating func rewrite(_ write: (RecordType, Span<UInt8>, inout [UInt8]) -> Void) {
    var lines: [UInt8] = []
    lines.reserveCapacity(bytes.count)
    for (index, record) in records.enumerated() {
      let start = lines.count
      write(record.type, bytes.span.extracting(record.range), &lines)
      records[index] = Record(number: record.number, type: record.type, range: start..<lines.count)
    }
    bytes = lines
  }

  /// Moves the record at `index` behind all others.
  mutating func moveToEnd(_ index: Int) {
    let moved = records.remove(at: index)
    let line = Array(bytes[moved.range])
    bytes.removeSubrange(moved.range)
    for later in index..<records.count {
      let record = records[later]
      let range = (record.range.lowerBound - line.count)..<(record.range.upperBound - line.count)
      records[later] = Record(number: record.number, type: record.type, range: range)
    }
    records.append(Record(number: moved.number, type: moved.type, range: bytes.count..<(bytes.count + line.count)))
    bytes.append(contentsOf: line)
  }
}
