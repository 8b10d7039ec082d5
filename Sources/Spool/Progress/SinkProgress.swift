/// How far one sink is in the file. One thread has it.
final class SinkProgress {
  /// Records that go out with a wall time that may yet turn out to be wrong: a resend must say the same.
  struct Stamp: Equatable {
    var wall: WallTime
    var sequences: SequenceSet
  }

  let name: String
  /// Its row in the file.
  var row: Int64 = 0
  /// By ``Lane``.
  var lanes: [LaneProgress] = [LaneProgress(), LaneProgress()]
  private(set) var stamps: [Stamp] = []
  /// Stamped for the batches that are under way, and never before: should none of it leave, nobody has seen the time.
  private var firstTime = SequenceSet()
  /// The file does not know the acknowledgements yet.
  var hasNewAcknowledgements = false
  /// The file does not know the stamps yet.
  var hasNewStamps = false

  init(name: String) { self.name = name }

  /// A new file: nothing is acknowledged in it.
  func startAnew() {
    lanes = [LaneProgress(), LaneProgress()]
    stamps = []
    firstTime = SequenceSet()
    hasNewAcknowledgements = false
    hasNewStamps = false
  }

  /// The wall time that a record went out with before; nil: it did not, or it follows from what is known of the clock.
  func stamp(of sequence: UInt64) -> WallTime? {
    stamps.first { $0.sequences.contains(sequence) }?.wall
  }

  /// Keeps the wall time that a record goes out with.
  func stamp(_ sequence: UInt64, _ wall: WallTime) {
    if let index = stamps.firstIndex(where: { $0.wall == wall }) {
      stamps[index].sequences.insert(sequence...sequence)
    } else {
      stamps.append(Stamp(wall: wall, sequences: SequenceSet(sequence...sequence)))
    }
    firstTime.insert(sequence...sequence)
    hasNewStamps = true
  }

  /// Takes in what a stored row says.
  func restoreStamp(_ range: ClosedRange<UInt64>, _ wall: WallTime) {
    if let index = stamps.firstIndex(where: { $0.wall == wall }) {
      stamps[index].sequences.insert(range)
    } else {
      stamps.append(Stamp(wall: wall, sequences: SequenceSet(range)))
    }
  }

  /// Notes what the sink has for good, of either lane.
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

  /// Forgets the stamps of records that are gone up to a number.
  func forgetStamps(upTo sequence: UInt64) {
    guard stamps.contains(where: { ($0.sequences.ranges.first?.lowerBound ?? .max) <= sequence }) else { return }
    for index in stamps.indices { stamps[index].sequences.remove(0...sequence) }
    firstTime.remove(0...sequence)
    stamps.removeAll { $0.sequences.isEmpty }
    hasNewStamps = true
  }

  /// Everything that was handed out is to be handed out once more.
  func giveBack() {
    for index in lanes.indices { lanes[index].giveBack() }
    firstTime = SequenceSet()
  }

  /// The same for a range.
  ///
  /// - Parameter sentNothing: none of it has left: what has not done so before gets the time that is known then.
  func giveBack(_ range: ClosedRange<UInt64>, sentNothing: Bool) {
    for index in lanes.indices { lanes[index].giveBack(range) }
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
