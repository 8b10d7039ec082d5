import Telemetry

/// A record that no file has (yet).
struct PendingRecord {
  let line: StoredLine
  /// Boot time, ns.
  let time: Int64
  /// The boot's number, where it is not this one; 0: it is.
  var boot: Int64 = 0
  /// The loss that it tells of.
  var explains: Loss?
  /// Its number in the memory's epoch; 0: no sink has seen it, and the file may still take it.
  var number: UInt64 = 0
  /// The wall time that it went out with.
  var wall = WallTime.unknown
  /// Some sink may have sent it: another says the same.
  var hasLeft = false
  /// By the sink's index.
  var acknowledged: UInt32 = 0
  /// By the sink's index.
  var handedOut: UInt32 = 0

  init(_ line: StoredLine, time: Int64, explains: Loss?) {
    self.line = line
    self.time = time
    self.explains = explains
  }

  var lane: Lane { Lane(line.type) }

  /// What it costs in memory, roughly.
  var size: Int { line.bytes.count + 160 }
}
