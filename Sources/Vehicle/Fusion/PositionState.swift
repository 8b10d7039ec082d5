import NMEAWire

/// The newest position, and the one in the last record.
struct PositionState {
  /// Maximum age of a fix in a record, ns.
  static let window: Int64 = 1_500_000_000

  /// A fix and the time of its reception.
  struct Received {
    var fix: Fix
    var time: Int64
  }

  /// The newest fix; `nil` before the first.
  var fix: Received?
  /// Precision of positions in records.
  var privacy = PositionPrivacy.full
  /// Whether ``fix`` was received after the last record.
  var isFresh = false
  /// The fix in the last record; `nil` if it had none.
  var recorded: Fix?

  /// The newest fix; `nil` if it is too old for a record.
  func recent(at time: Int64) -> Fix? {
    guard let fix, time - fix.time <= Self.window else { return nil }
    return fix.fix
  }
}
