/// How far one sink is in one lane.
struct LaneProgress {
  /// A record that the sink has and has not acknowledged yet.
  struct HandedOut: Equatable {
    let sequence: UInt64
    /// The lane has no record between this number and `sequence`.
    let previous: UInt64
  }

  /// What the sink has for good: the range that begins at 0 ends at its cursor; those above it came out of turn.
  ///
  /// A number that the lane does not have (any more) may be in it.
  private(set) var acknowledged = SequenceSet(0...0)
  /// What it has been handed and may still acknowledge.
  private(set) var handedOut: [HandedOut] = []
  private var inFlight = SequenceSet()

  /// Everything up to here is acknowledged.
  var cursor: UInt64 { acknowledged.range(containing: 0)?.upperBound ?? 0 }

  /// Whether a record is not to be handed out: acknowledged, or on its way.
  func isTaken(_ sequence: UInt64) -> Bool { acknowledged.contains(sequence) || inFlight.contains(sequence) }

  /// The last number behind `sequence` up to which everything is taken.
  func taken(behind sequence: UInt64) -> UInt64 {
    var last = sequence
    while last < .max {
      if let range = acknowledged.range(containing: last + 1) {
        last = range.upperBound
      } else if let range = inFlight.range(containing: last + 1) {
        last = range.upperBound
      } else {
        break
      }
    }
    return last
  }

  /// Notes that the sink is being given a record.
  mutating func handOut(_ sequence: UInt64, previous: UInt64) {
    handedOut.append(HandedOut(sequence: sequence, previous: previous))
    inFlight.insert(previous + 1...sequence)
  }

  /// Notes that the sink has, for good, those of the range that it was handed.
  ///
  /// - Returns: their numbers.
  mutating func acknowledge(_ range: ClosedRange<UInt64>) -> [UInt64] {
    var done: [UInt64] = []
    handedOut.removeAll { record in
      guard range.contains(record.sequence) else { return false }
      acknowledged.insert(record.previous + 1...record.sequence)
      inFlight.remove(record.previous + 1...record.sequence)
      done.append(record.sequence)
      return true
    }
    return done
  }

  /// Notes numbers as had for good that nobody will be handed.
  mutating func skip(_ range: ClosedRange<UInt64>) { acknowledged.insert(range) }

  /// Notes that what was handed out is to be handed out once more.
  mutating func giveBack() {
    handedOut.removeAll(keepingCapacity: true)
    inFlight = SequenceSet()
  }

  /// The same for a range.
  mutating func giveBack(_ range: ClosedRange<UInt64>) {
    handedOut.removeAll { record in
      guard range.contains(record.sequence) else { return false }
      inFlight.remove(record.previous + 1...record.sequence)
      return true
    }
  }
}
