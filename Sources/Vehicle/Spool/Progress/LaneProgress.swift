/// Which records of one lane a sink has acknowledged, and which are in flight to it (delivered, but without a result).
struct LaneProgress {
  /// A record that was delivered to the sink and is not acknowledged yet.
  struct HandedOut: Equatable {
    let sequence: UInt64
    /// The number of the preceding record in the lane. There is no record between it and `sequence`.
    let previous: UInt64
  }

  /// The numbers that the sink has acknowledged. The range that starts at 0 ends at the cursor. Ranges above the cursor
  /// were acknowledged before older records.
  ///
  /// The set may also contain numbers of records that are not in this lane.
  private(set) var acknowledged = SequenceSet(0...0)
  /// The records that are in flight, in the order of their delivery.
  private(set) var handedOut: [HandedOut] = []
  private var inFlight = SequenceSet()

  /// The cursor: the highest number up to which the sink has acknowledged everything.
  var cursor: UInt64 { acknowledged.range(containing: 0)?.upperBound ?? 0 }

  /// Whether a record must not be delivered now, because it is acknowledged or in flight.
  func isTaken(_ sequence: UInt64) -> Bool { acknowledged.contains(sequence) || inFlight.contains(sequence) }

  /// Returns the last of the consecutive numbers after `sequence` that are acknowledged or in flight; `sequence` itself
  /// if there is none.
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

  /// Marks a record as in flight.
  mutating func deliver(_ sequence: UInt64, previous: UInt64) {
    handedOut.append(HandedOut(sequence: sequence, previous: previous))
    inFlight.insert(previous + 1...sequence)
  }

  /// Marks those records of a range that are in flight as acknowledged.
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

  /// Marks numbers as acknowledged, because their records will never be delivered.
  mutating func skip(_ range: ClosedRange<UInt64>) { acknowledged.insert(range) }

  /// Marks all records that are in flight as not delivered, so that they are delivered again.
  mutating func requeue() {
    handedOut.removeAll(keepingCapacity: true)
    inFlight = SequenceSet()
  }

  /// Marks those records of a range that are in flight as not delivered, so that they are delivered again.
  mutating func requeue(_ range: ClosedRange<UInt64>) {
    handedOut.removeAll { record in
      guard range.contains(record.sequence) else { return false }
      inFlight.remove(record.previous + 1...record.sequence)
      return true
    }
  }
}
