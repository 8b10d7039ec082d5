import Telemetry

/// A record in memory that is not committed to a file yet.
struct PendingRecord {
  let line: StoredLine
  /// Time of the record, ns since boot.
  let time: Int64
  /// Row number (in the file) of the boot in which the record was made; 0 for the current boot.
  var boot: Int64 = 0
  /// The loss that this record reports; `nil` if it is not a `gap` record.
  var explains: Loss?
  /// The record's number in the memory epoch; 0 if the record was not delivered to any sink yet.
  var number: UInt64 = 0
  /// The date that the record had when it was delivered; ``WallTime/unknown`` if it was not delivered.
  var wall = WallTime.unknown
  /// Whether a sink may have sent the record. If `true`, the record must have the same date each time it is delivered.
  var hasLeft = false
  /// The sinks that have acknowledged the record. Bit n stands for the sink with index n.
  var acknowledged: UInt32 = 0
  /// The sinks to which the record is in flight: it was delivered to them, and they have not reported a result yet. Bit
  /// n stands for the sink with index n.
  var handedOut: UInt32 = 0

  init(_ line: StoredLine, time: Int64, explains: Loss?) {
    self.line = line
    self.time = time
    self.explains = explains
  }

  var lane: Lane { Lane(line.type) }

  /// Approximate size of the record in memory, bytes.
  var size: Int { line.bytes.count + 160 }
}
