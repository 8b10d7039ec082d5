/// The progress of one sink in the file. Used by one thread.
final class SinkProgress {
  /// Records delivered with a wall time that may still be corrected. A resend must carry the same time.
  struct Stamp: Equatable {
    var wall: WallTime
    var sequences: SequenceSet
  }

  let name: String
  /// Row in the file.
  var row: Int64 = 0
  /// Progress by ``Lane``.
  var lanes: [LaneProgress] = [LaneProgress(), LaneProgress()]
  private(set) var stamps: [Stamp] = []
  /// Numbers stamped for the first time by the batches in flight. If nothing of a batch is sent, their stamps can be
  /// discarded.
  private var firstTime = SequenceSet()
  /// Whether there are acknowledgements that are not committed.
  var hasNewAcknowledgements = false
  /// Whether there are stamps that are not committed.
  var hasNewStamps = false

  init(name: String) { self.name = name }

  /// Resets the progress for a new file.
  func reset() {
    lanes = [LaneProgress(), LaneProgress()]
    stamps = []
    firstTime = SequenceSet()
    hasNewAcknowledgements = false
    hasNewStamps = false
  }

  /// Returns the stored wall time of a record's earlier delivery; `nil` if there was none, or if that time was final
  /// and can be computed again.
  func stamp(of sequence: UInt64) -> WallTime? {
    stamps.first { $0.sequences.contains(sequence) }?.wall
  }

  /// Stores the wall time with which a record is delivered.
  func stamp(_ sequence: UInt64, _ wall: WallTime) {
    if let index = stamps.firstIndex(where: { $0.wall == wall }) {
      stamps[index].sequences.insert(sequence...sequence)
    } else {
      stamps.append(Stamp(wall: wall, sequences: SequenceSet(sequence...sequence)))
    }
    firstTime.insert(sequence...sequence)
    hasNewStamps = true
  }

  /// Adds a stored stamp.
  func restoreStamp(_ range: ClosedRange<UInt64>, _ wall: WallTime) {
    if let index = stamps.firstIndex(where: { $0.wall == wall }) {
      stamps[index].sequences.insert(range)
    } else {
      stamps.append(Stamp(wall: wall, sequences: SequenceSet(range)))
    }
  }

  /// Marks the in-flight records of a range as acknowledged, in both lanes.
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

  /// Clears all in-flight records, so that they are delivered again.
  func requeue() {
    for index in lanes.indices { lanes[index].requeue() }
    firstTime = SequenceSet()
  }

  /// Clears the in-flight records of a range, so that they are delivered again.
  ///
  /// - Parameter sentNothing: whether no byte of them was sent. Stamps made for this delivery are then discarded.
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
