import Ports
import Synchronization
import Telemetry

/// Whoever follows the records on this machine: all read from one recent of the last records, each at a place of its own. One
/// that is so slow that the recent has gone on without it misses records, and is told which. Nothing waits for a follower,
/// and one more of them takes no memory but that of its connection.
///
/// One thread publishes, one takes.
final class Followers: Sendable {
  /// When records are published, and in which epoch.
  struct Moment {
    var time: RecordTime
    var epoch: UUIDv7
  }

  private struct State: Sendable {
    /// Nil while nobody follows.
    var recent: RecentRecords?
    /// By follower: the next record that it gets, and what it has missed in front of that.
    var places: [UInt64: Place] = [:]
    var added: UInt64 = 0
    var moment: Moment?
    /// Records about losses that were made.
    var told: UInt64 = 0
  }

  private struct Place: Sendable {
    var next: UInt64
    var loss: RecordQueue.Loss?

    mutating func miss(_ sequence: UInt64) {
      var missed = loss ?? RecordQueue.Loss(fromSequence: sequence, toSequence: sequence, count: 0)
      missed.toSequence = sequence
      missed.count += 1
      loss = missed
      next += 1
    }
  }

  private let state = Mutex(State())
  private let count = Atomic<Int>(0)
  private let wakeUp: WakeUp
  private let gatewayId: String
  private let vehicleId: String
  private let seed: UInt64

  /// - Parameters:
  ///   - wakeUp: of whoever writes to the followers.
  ///   - seed: of the ids of what is told.
  init(wakeUp: WakeUp, gatewayId: String, vehicleId: String?, seed: UInt64) {
    self.wakeUp = wakeUp
    self.gatewayId = gatewayId
    self.vehicleId = vehicleId ?? gatewayId
    self.seed = seed
  }

  /// Whether nobody follows.
  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Somebody follows, from the next record on.
  func add() -> Follower {
    let number = state.withLock { state in
      let recent = state.recent ?? RecentRecords()
      state.added += 1
      state.places[state.added] = Place(next: recent.end)
      state.recent = recent
      return state.added
    }
    count.add(1, ordering: .relaxed)
    return Follower(number: number, followers: self)
  }

  fileprivate func remove(_ number: UInt64) {
    let hasLeft = state.withLock { state in
      guard state.places.removeValue(forKey: number) != nil else { return false }
      if state.places.isEmpty { state.recent = nil }
      return true
    }
    if hasLeft { count.subtract(1, ordering: .relaxed) }
  }

  /// Shows a record to all, with the next ``flush(_:)``.
  ///
  /// - Parameter sequence: its `seq`.
  func publish(_ line: Span<UInt8>, sequence: UInt64) {
    state.withLock { state in
      while state.recent?.hasRoom(for: line.count) == false { Self.drop(&state) }
      state.recent?.put(line, sequence: sequence)
    }
  }

  /// What was published may be looked at.
  func flush(_ moment: Moment) {
    state.withLock { $0.moment = moment }
    wakeUp.signal()
  }

  /// Forgets what all have taken.
  func forgetTaken() {
    state.withLock { state in
      guard let first = state.places.values.lazy.map(\.next).min() else { return }
      while let begin = state.recent?.begin, begin < first { state.recent?.dropFirst() }
    }
  }

  /// The oldest record makes room: who has not taken it misses it.
  private static func drop(_ state: inout State) {
    guard let dropped = state.recent?.dropFirst() else { return }
    // By index: nothing is copied.
    var index = state.places.startIndex
    while index != state.places.endIndex {
      if state.places.values[index].next == dropped.number { state.places.values[index].miss(dropped.sequence) }
      state.places.formIndex(after: &index)
    }
  }

  /// Takes whole lines for a follower, as many as fit: what it has missed is told first.
  ///
  /// - Returns: how many bytes were put at the beginning of `buffer`, which has room for two records; 0: there are none.
  fileprivate func take(for number: UInt64, into buffer: inout [UInt8]) -> Int {
    state.withLock { state in
      guard var place = state.places[number], let recent = state.recent else { return 0 }
      var taken = 0
      if let loss = place.loss, let moment = state.moment {
        state.told += 1
        taken = tell(loss, number: state.told, moment, into: &buffer)
        place.loss = nil
      }
      place.next = recent.take(from: place.next, into: &buffer, &taken)
      state.places[number] = place
      return taken
    }
  }

  /// A `gap` record of this follower's own: it has the number of the last record that is missing, so that no number is
  /// taken from the others.
  private func tell(_ loss: RecordQueue.Loss, number: UInt64, _ moment: Moment, into buffer: inout [UInt8]) -> Int {
    let id = UUIDv7(milliseconds: moment.time.milliseconds, seed: seed, number: number)
    let head = RecordHead(
      type: .gap, id: id, time: moment.time, gatewayId: gatewayId, vehicleId: vehicleId, epoch: moment.epoch,
      sequence: loss.toSequence)
    var gap = GapRecord(fromSequence: loss.fromSequence, toSequence: loss.toSequence, reason: .slowReader)
    gap.count = loss.count
    gap.sink = "tail"
    var line = JSONLineEncoder(capacity: 1_024)
    line.record(head, gap)
    return line.withLine { bytes in
      for index in bytes.indices { buffer[index] = bytes[index] }
      return bytes.count
    }
  }
}

/// One that follows.
struct Follower: Sendable {
  fileprivate let number: UInt64
  fileprivate let followers: Followers

  /// Takes whole lines, the oldest first, as many as fit.
  ///
  /// - Parameter buffer: at least ``room`` long.
  /// - Returns: how many bytes were put at its beginning; 0: there are none.
  func take(into buffer: inout [UInt8]) -> Int { followers.take(for: number, into: &buffer) }

  /// Whatever is taken next fits: a record, and what was missed in front of it.
  static let room = JSONLineEncoder.recordCapacity + 1_024

  /// It has left.
  func leave() { followers.remove(number) }
}
