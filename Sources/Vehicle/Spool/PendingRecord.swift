import Telemetry

/// A record in memory that is not committed to a file.
struct PendingRecord {
  let line: StoredLine
  /// Boot time, ns.
  let time: Int64
  /// Row of the record's boot in the file; 0 for the current boot.
  var boot: Int64 = 0
  /// The loss that this `gap` record reports; `nil` for other records.
  var explains: Loss?
  /// Its number in the memory epoch; 0 if no sink has received it yet, so that the file can still number it.
  var number: UInt64 = 0
  /// The wall time with which it was delivered; unknown if it was not.
  var wall = WallTime.unknown
  /// Whether a sink may have sent it. Later deliveries must then carry the same wall time.
  var hasLeft = false
  /// Sinks that acknowledged it; one bit for each sink index.
  var acknowledged: UInt32 = 0
  /// Sinks to which it was delivered and that have not answered yet; one bit for each sink index.
  var handedOut: UInt32 = 0

  init(_ line: StoredLine, time: Int64, explains: Loss?) {
    self.line = line
    self.time = time
    self.explains = explains
  }

  var lane: Lane { Lane(line.type) }

  /// Approximate bytes in memory.
  var size: Int { line.bytes.count + 160 }
}
