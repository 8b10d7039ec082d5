/// The progress of one sink in one lane: which records it has acknowledged, and which are in flight to it (delivered,
/// but without a result).
struct LaneProgress {
  /// A record that was delivered to the sink and is not acknowledged yet.
  struct HandedOut: Equatable {
    let sequence: UInt64
    /// The sequence number of the preceding record in the lane.
    let previous: UInt64
  }

  /// The sequence numbers that the sink has acknowledged. The first range starts at 0 and ends at ``cursor``. Records
  /// in the other ranges were acknowledged although an older record is not acknowledged yet.
  ///
  /// The set may also contain numbers that belong to no record of this lane.
  private(set) var acknowledged = SequenceSet(0...0)
  /// The records that are in flight, in the order of their delivery.
  private(set) var handedOut: [HandedOut] = []
  private var inFlight = SequenceSet()

  /// The highest sequence number up to which the sink has acknowledged all records.
  var cursor: UInt64 { acknowledged.range(containing: 0)?.upperBound ?? 0 }

  /// Whether the record with this sequence number must not be delivered now, because it was acknowledged or is in
  /// flight.
  func isTaken(_ sequence: UInt64) -> Bool { acknowledged.contains(sequence) || inFlight.contains(sequence) }

  /// Returns the end of the uninterrupted series of numbers after `sequence` that were acknowledged or are in flight.
  /// Returns `sequence` if the next number is neither acknowledged nor in flight.
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

  /// Marks a record as in flight. `previous` is the sequence number of the preceding record in the lane.
  mutating func deliver(_ sequence: UInt64, previous: UInt64) {
    handedOut.append(HandedOut(sequence: sequence, previous: previous))
    inFlight.insert(previous + 1...sequence)
  }

  /// Acknowledges the records that are in flight and whose numbers are in `range`.
  ///
  /// - Returns: the sequence numbers of these records.
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

  /// Marks sequence numbers as acknowledged, because records with these numbers will never be delivered from this lane.
  mutating func skip(_ range: ClosedRange<UInt64>) { acknowledged.insert(range) }

  /// Schedules another delivery of all records that are in flight.
  mutating func requeue() {
    handedOut.removeAll(keepingCapacity: true)
    inFlight = SequenceSet()
  }

  /// Schedules another delivery of the records that are in flight and whose numbers are in `range`.
  mutating func requeue(_ range: ClosedRange<UInt64>) {
    handedOut.removeAll { record in
      guard range.contains(record.sequence) else { return false }
      inFlight.remove(record.previous + 1...record.sequence)
      return true
    }
  }
}
