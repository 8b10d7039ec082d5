import Telemetry

/// A record in memory that is not committed to a file yet.
struct PendingRecord {
  let line: StoredLine
  /// Boot time of the record, ns.
  let time: Int64
  /// Row number of the boot in which the record was made; 0 for the current boot.
  var boot: Int64 = 0
  /// The loss that this record reports; `nil` if it is not a `gap` record.
  var explains: Loss?
  /// The record's number in the memory epoch; 0 if it was not delivered to any sink yet. The file can then still number
  /// it.
  var number: UInt64 = 0
  /// The date with which the record was delivered; unknown if it was not delivered.
  var wall = WallTime.unknown
  /// Whether a sink may have sent the record. If so, it must have the same date each time it is delivered.
  var hasLeft = false
  /// The sinks that have acknowledged the record; one bit for each index of a sink.
  var acknowledged: UInt32 = 0
  /// The sinks to which the record was delivered and that have not reported a result yet; one bit for each index of a
  /// sink.
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
