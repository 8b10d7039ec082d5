import Ports
import Synchronization
import Telemetry

/// The followers: programs on this machine that receive the records as they are made. All of them read from one buffer
/// of recent records, each at its own position. A follower that is too slow misses records, and receives a `gap` record
/// instead. No thread waits for a follower. A follower uses no memory except for its connection.
///
/// One thread publishes records, and one thread reads them for all followers.
package final class Followers: Sendable {
  /// The time of a publication, and the epoch of the published records. `gap` records for followers contain both.
  package struct Moment {
    package var time: RecordTime
    package var epoch: UUIDv7

    /// Creates a value; the parameters are the properties of the same names.
    package init(time: RecordTime, epoch: UUIDv7) {
      self.time = time
      self.epoch = epoch
    }
  }

  private struct State: Sendable {
    /// The most recent records; `nil` while there is no follower.
    var recent: RecentRecords?
    /// For each follower, the number of the next record that it receives, and the loss that is reported before that
    /// record.
    var places: [UInt64: Place] = [:]
    var added: UInt64 = 0
    var moment: Moment?
    /// Number of `gap` records that were made for followers.
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

  /// Creates the buffer. It has no followers yet.
  ///
  /// - Parameters:
  ///   - wakeUp: the wake-up of the thread that writes to the followers.
  ///   - seed: a random number from which the IDs of `gap` records are made.
  package init(wakeUp: WakeUp, gatewayId: String, vehicleId: String?, seed: UInt64) {
    self.wakeUp = wakeUp
    self.gatewayId = gatewayId
    self.vehicleId = vehicleId ?? gatewayId
    self.seed = seed
  }

  /// Whether there are no followers.
  package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Adds a follower. It receives the next record and all later ones.
  package func add() -> Follower {
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

  /// Adds a record to the buffer. Followers receive it after the next ``flush(_:)``.
  ///
  /// - Parameter sequence: the record's sequence number (`seq`).
  package func publish(_ line: Span<UInt8>, sequence: UInt64) {
    state.withLock { state in
      while state.recent?.hasRoom(for: line.count) == false { Self.drop(&state) }
      state.recent?.put(line, sequence: sequence)
    }
  }

  /// Wakes the thread that writes to the followers, so that they receive the published records.
  package func flush(_ moment: Moment) {
    state.withLock { $0.moment = moment }
    wakeUp.signal()
  }

  /// Discards the records that all followers have received.
  package func forgetTaken() {
    state.withLock { state in
      guard let first = state.places.values.lazy.map(\.next).min() else { return }
      while let begin = state.recent?.begin, begin < first { state.recent?.dropFirst() }
    }
  }

  /// Discards the oldest record to make room. Each follower that has not received the record misses it.
  private static func drop(_ state: inout State) {
    guard let dropped = state.recent?.dropFirst() else { return }
    // The loop uses indices, so that the dictionary is not copied.
    var index = state.places.startIndex
    while index != state.places.endIndex {
      if state.places.values[index].next == dropped.number { state.places.values[index].miss(dropped.sequence) }
      state.places.formIndex(after: &index)
    }
  }

  /// Copies as many complete text lines as fit into a follower's buffer. If the follower has missed records, a `gap`
  /// record comes first.
  ///
  /// - Returns: number of bytes that were copied to the start of `buffer`; 0 if there are no records. The buffer must
  ///   have room for ``Follower/room`` bytes.
  fileprivate func copy(for number: UInt64, into buffer: inout [UInt8]) -> Int {
    state.withLock { state in
      guard var place = state.places[number], let recent = state.recent else { return 0 }
      var taken = 0
      if let loss = place.loss, let moment = state.moment {
        state.told += 1
        taken = writeGap(loss, number: state.told, moment, into: &buffer)
        place.loss = nil
      }
      place.next = recent.copy(from: place.next, into: &buffer, &taken)
      state.places[number] = place
      return taken
    }
  }

  /// Writes a `gap` record for one follower to the start of `buffer`, and returns the record's length. The record has
  /// the sequence number of the last missed record, so that no other record has the same number.
  private func writeGap(_ loss: RecordQueue.Loss, number: UInt64, _ moment: Moment, into buffer: inout [UInt8]) -> Int {
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

/// One program that receives the records as they are made.
package struct Follower: Sendable {
  fileprivate let number: UInt64
  fileprivate let followers: Followers

  /// Copies as many complete text lines as fit to the start of `buffer`, the oldest first.
  ///
  /// - Parameter buffer: must have at least ``room`` bytes.
  /// - Returns: number of bytes that were copied; 0 if there are no records.
  package func copy(into buffer: inout [UInt8]) -> Int { followers.copy(for: number, into: &buffer) }

  /// Maximum total length of a record and the `gap` record before it, bytes.
  package static let room = JSONLineEncoder.recordCapacity + 1_024

  /// Removes the follower.
  package func leave() { followers.remove(number) }
}
