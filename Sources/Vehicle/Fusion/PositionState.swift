import NMEAWire

/// The newest fix, and the fix in the last record.
struct PositionState {
  /// Maximum age of a fix that a record contains, ns.
  static let window: Int64 = 1_500_000_000

  /// A fix and the time of its reception.
  struct Received {
    var fix: Fix
    var time: Int64
  }

  /// The newest fix; `nil` before the first one.
  var fix: Received?
  /// Precision with which records show positions.
  var privacy = PositionPrivacy.full
  /// Whether ``fix`` was received since the last record.
  var isFresh = false
  /// The fix in the last record; `nil` if that record had none.
  var recorded: Fix?

  /// The newest fix; `nil` if it is too old for a record.
  func recent(at time: Int64) -> Fix? {
    guard let fix, time - fix.time <= Self.window else { return nil }
    return fix.fix
  }
}
