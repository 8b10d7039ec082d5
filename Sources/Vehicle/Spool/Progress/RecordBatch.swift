import Telemetry

/// A batch of records for one sink, as finished lines in one buffer. ``Spool/nextBatch(for:limit:at:into:)`` clears a
/// batch and fills it again, so that its memory is reused.
public struct RecordBatch: Sendable {
  /// Where a record is stored.
  public enum Source: Hashable, Sendable {
    /// In memory, in the memory epoch with this number. The memory epochs of this process are numbered from 0.
    case memory(UInt32)
    /// In the file with this number. The spool numbers the files that it opens or creates in this process.
    case file(UInt32)
  }

  /// The identity of a record in the spool.
  public struct Number: Hashable, Sendable {
    /// The place where the record is stored. It determines the epoch to which ``sequence`` belongs.
    public var source: Source
    /// The record's sequence number.
    public var sequence: UInt64

    /// Creates an identity; the parameters are the properties of the same names.
    public init(_ sequence: UInt64, in source: Source) {
      self.source = source
      self.sequence = sequence
    }
  }

  /// A record in a batch.
  public struct Record: Sendable {
    /// The identity of the record in the spool.
    public let number: Number
    /// Type of the record.
    public let type: RecordType
    /// Range of the record's line in ``bytes``, including the line feed.
    public let range: Range<Int>
  }

  /// Limits for the size of a batch. The first record is added even if it exceeds them.
  public struct Limit: Sendable {
    /// Maximum number of records.
    public var records: Int
    /// Maximum size of all lines together, bytes.
    public var bytes: Int

    /// Creates limits; the parameters are the properties of the same names.
    public init(records: Int = 100, bytes: Int = 1 << 18) {
      self.records = records
      self.bytes = bytes
    }
  }

  /// The lines of all records, one after another.
  public internal(set) var bytes: [UInt8] = []
  /// The records, in the order of their lines.
  public internal(set) var records: [Record] = []

  /// Creates an empty batch.
  public init() {}

  /// Whether the batch has no records.
  public var isEmpty: Bool { records.isEmpty }

  /// Removes all records. The allocated memory is kept for the next records.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
  }

  /// Adds a record whose line was appended to ``bytes`` at `start`.
  ///
  /// - Returns: `false` if the record exceeds the limit. Its line is then removed from ``bytes``.
  mutating func append(_ number: Number, _ type: RecordType, from start: Int, _ limit: Limit) -> Bool {
    guard records.isEmpty || records.count < limit.records && bytes.count <= limit.bytes else {
      bytes.removeSubrange(start...)
      return false
    }
    records.append(Record(number: number, type: type, range: start..<bytes.count))
    return true
  }

  /// Replaces the lines of all records.
  ///
  /// - Parameter write: receives the type and the line of a record, and appends the new line to its third argument.
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

  /// Moves the record at `index`, with its line, to the end of the batch.
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
