/// The records in the file that one sink has acknowledged, and those that are in flight to it. Only one thread may use
/// it.
final class SinkProgress {
  /// Numbers of records that were delivered with a date that may still be corrected. If they are delivered again, they
  /// must have the same date.
  struct Stamp: Equatable {
    var wall: WallTime
    var sequences: SequenceSet
  }

  let name: String
  /// Row number of the sink in the file.
  var row: Int64 = 0
  /// The progress in each ``Lane``.
  var lanes: [LaneProgress] = [LaneProgress(), LaneProgress()]
  private(set) var stamps: [Stamp] = []
  /// Sequence numbers of records whose stamp was first stored for a batch that is now in flight. If nothing of the
  /// batch was sent, these stamps can be discarded.
  private var firstTime = SequenceSet()
  /// Whether there are acknowledgements that are not committed yet.
  var hasNewAcknowledgements = false
  /// Whether there are stamps that are not committed yet.
  var hasNewStamps = false

  init(name: String) { self.name = name }

  /// Discards everything, for use with a new file.
  func reset() {
    lanes = [LaneProgress(), LaneProgress()]
    stamps = []
    firstTime = SequenceSet()
    hasNewAcknowledgements = false
    hasNewStamps = false
  }

  /// Returns the date with which a record was delivered earlier; `nil` if it was not delivered, or if its date will not
  /// be corrected any more and can be computed again.
  func stamp(of sequence: UInt64) -> WallTime? {
    stamps.first { $0.sequences.contains(sequence) }?.wall
  }

  /// Stores the date with which a record is being delivered.
  func stamp(_ sequence: UInt64, _ wall: WallTime) {
    if let index = stamps.firstIndex(where: { $0.wall == wall }) {
      stamps[index].sequences.insert(sequence...sequence)
    } else {
      stamps.append(Stamp(wall: wall, sequences: SequenceSet(sequence...sequence)))
    }
    firstTime.insert(sequence...sequence)
    hasNewStamps = true
  }

  /// Adds a stamp that was stored.
  func restoreStamp(_ range: ClosedRange<UInt64>, _ wall: WallTime) {
    if let index = stamps.firstIndex(where: { $0.wall == wall }) {
      stamps[index].sequences.insert(range)
    } else {
      stamps.append(Stamp(wall: wall, sequences: SequenceSet(range)))
    }
  }

  /// Marks those records of a range that are in flight as acknowledged, in both lanes.
  func acknowledge(_ range: ClosedRange<UInt64>) {
    for index in lanes.indices {
      let done = lanes[index].acknowledge(range)
      if !done.isEmpty { hasNewAcknowledgements = true }
      forgetStamps(done)
    }
  }

  private func forgetStamps(_ done: [UInt64]) {
    guard !stamps.isEmpty else { return }
    for sequence in done {
      for index in stamps.indices where stamps[index].sequences.contains(sequence) {
        stamps[index].sequences.remove(sequence...sequence)
        hasNewStamps = true
      }
      firstTime.remove(sequence...sequence)
    }
    stamps.removeAll { $0.sequences.isEmpty }
  }

  /// Removes the stamps of all numbers up to `sequence`.
  func forgetStamps(upTo sequence: UInt64) {
    guard stamps.contains(where: { ($0.sequences.ranges.first?.lowerBound ?? .max) <= sequence }) else { return }
    for index in stamps.indices { stamps[index].sequences.remove(0...sequence) }
    firstTime.remove(0...sequence)
    stamps.removeAll { $0.sequences.isEmpty }
    hasNewStamps = true
  }

  /// Marks all records that are in flight as not delivered, so that they are delivered again.
  func requeue() {
    for index in lanes.indices { lanes[index].requeue() }
    firstTime = SequenceSet()
  }

  /// Marks those records of a range that are in flight as not delivered, so that they are delivered again.
  ///
  /// - Parameter sentNothing: whether no byte of them was sent. If so, the stamps of this delivery are discarded.
  func requeue(_ range: ClosedRange<UInt64>, sentNothing: Bool) {
    for index in lanes.indices { lanes[index].requeue(range) }
    if sentNothing {
      for unseen in firstTime.intersection(SequenceSet(range)).ranges {
        for index in stamps.indices { stamps[index].sequences.remove(unseen) }
        hasNewStamps = true
      }
      stamps.removeAll { $0.sequences.isEmpty }
    }
    firstTime.remove(range)
  }
}
