/// The progress of one sink in one lane.
struct LaneProgress {
  /// A record that was delivered to the sink and is not acknowledged.
  struct HandedOut: Equatable {
    let sequence: UInt64
    /// The preceding record's number; the lane has no record between it and `sequence`.
    let previous: UInt64
  }

  /// Acknowledged numbers. The range that starts at 0 ends at the cursor; ranges above it were acknowledged out of
  /// order.
  ///
  /// The set may include numbers that the lane does not contain.
  private(set) var acknowledged = SequenceSet(0...0)
  /// Records in flight, in the order of their delivery.
  private(set) var handedOut: [HandedOut] = []
  private var inFlight = SequenceSet()

  /// The highest number up to which everything is acknowledged.
  var cursor: UInt64 { acknowledged.range(containing: 0)?.upperBound ?? 0 }

  /// Whether a record must not be delivered now, because it is acknowledged or in flight.
  func isTaken(_ sequence: UInt64) -> Bool { acknowledged.contains(sequence) || inFlight.contains(sequence) }

  /// Returns the last number of the contiguous range of taken numbers after `sequence`.
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

  /// Marks the in-flight records of a range as acknowledged.
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

  /// Marks numbers that will never be delivered as acknowledged.
  mutating func skip(_ range: ClosedRange<UInt64>) { acknowledged.insert(range) }

  /// Clears all in-flight records, so that they are delivered again.
  mutating func requeue() {
    handedOut.removeAll(keepingCapacity: true)
    inFlight = SequenceSet()
  }

  /// Clears the in-flight records of a range, so that they are delivered again.
  mutating func requeue(_ range: ClosedRange<UInt64>) {
    handedOut.removeAll { record in
      guard range.contains(record.sequence) else { return false }
      inFlight.remove(record.previous + 1...record.sequence)
      return true
    }
  }
}
