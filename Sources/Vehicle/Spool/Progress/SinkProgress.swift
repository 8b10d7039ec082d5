/// The progress of one sink: which records in the file it has acknowledged, and which are in flight to it. Only one
/// thread may use it.
final class SinkProgress {
  /// A date that may still be corrected, with the sequence numbers of the records that were delivered with it. If these
  /// records are delivered again, they must have the same date.
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
  /// Sequence numbers of the records in flight that had no stamp before the current delivery. If the sink has sent no
  /// byte of these records, their stamps can be discarded.
  private var firstTime = SequenceSet()
  /// Whether the sink has acknowledged records since the last commit.
  var hasNewAcknowledgements = false
  /// Whether the stamps have changed since the last commit.
  var hasNewStamps = false

  init(name: String) { self.name = name }

  /// Discards all progress. Call this when a new file or epoch begins.
  func reset() {
    lanes = [LaneProgress(), LaneProgress()]
    stamps = []
    firstTime = SequenceSet()
    hasNewAcknowledgements = false
    hasNewStamps = false
  }

  /// Returns the date in the stamp of a record. Returns `nil` if the record has no stamp, because it was not delivered,
  /// or because its date is final and can be computed again.
  func stamp(of sequence: UInt64) -> WallTime? {
    stamps.first { $0.sequences.contains(sequence) }?.wall
  }

  /// Stores a stamp: the date that a record has in the current delivery.
  func stamp(_ sequence: UInt64, _ wall: WallTime) {
    if let index = stamps.firstIndex(where: { $0.wall == wall }) {
      stamps[index].sequences.insert(sequence...sequence)
    } else {
      stamps.append(Stamp(wall: wall, sequences: SequenceSet(sequence...sequence)))
    }
    firstTime.insert(sequence...sequence)
    hasNewStamps = true
  }

  /// Adds a stamp that was read from the file.
  func restoreStamp(_ range: ClosedRange<UInt64>, _ wall: WallTime) {
    if let index = stamps.firstIndex(where: { $0.wall == wall }) {
      stamps[index].sequences.insert(range)
    } else {
      stamps.append(Stamp(wall: wall, sequences: SequenceSet(range)))
    }
  }

  /// Acknowledges the records that are in flight and whose numbers are in `range`, in both lanes.
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

  /// Schedules another delivery of all records that are in flight.
  func requeue() {
    for index in lanes.indices { lanes[index].requeue() }
    firstTime = SequenceSet()
  }

  /// Schedules another delivery of the records that are in flight and whose numbers are in `range`.
  ///
  /// - Parameter sentNothing: whether the sink has sent no byte of these records. If `true`, the stamps that were
  ///   stored for this delivery are discarded.
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
