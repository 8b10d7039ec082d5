import Ports
import Synchronization
import Telemetry

/// Whoever follows the records on this machine: each has a queue of its own, and one that is slow loses the oldest, which
/// it is told of. Nothing waits for a follower.
final class Followers: Sendable {
  /// When records are published, and in which epoch.
  struct Moment {
    var time: RecordTime
    var epoch: UUIDv7
  }

  /// Bytes and records that one may be behind: more than a commit of the spool has, which is shown at once.
  private static let capacity = 1 << 20
  private static let lines = 1 << 14

  private let queues = Mutex<[RecordQueue]>([])
  private let count = Atomic<Int>(0)
  private let bell: WakeUp
  private let gatewayId: String
  private let vehicleId: String
  private let made = Atomic<UInt64>(0)
  private let seed: UInt64

  /// - Parameters:
  ///   - bell: of whoever writes the queues out.
  ///   - seed: of the ids of what is told.
  init(bell: WakeUp, gatewayId: String, vehicleId: String?, seed: UInt64) {
    self.bell = bell
    self.gatewayId = gatewayId
    self.vehicleId = vehicleId ?? gatewayId
    self.seed = seed
  }

  /// Whether nobody follows.
  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Somebody follows, from the next record on.
  func add() throws(PortError) -> RecordQueue {
    let queue = try RecordQueue(capacity: Self.capacity, lines: Self.lines, wakeUp: bell)
    queues.withLock { $0.append(queue) }
    count.add(1, ordering: .relaxed)
    return queue
  }

  /// It has left.
  func remove(_ queue: RecordQueue) {
    let hasLeft = queues.withLock { queues in
      let before = queues.count
      queues.removeAll { $0 === queue }
      return queues.count < before
    }
    if hasLeft { count.subtract(1, ordering: .relaxed) }
  }

  /// Shows a record to all.
  ///
  /// - Parameter sequence: its `seq`.
  func publish(_ line: Span<UInt8>, sequence: UInt64) {
    for queue in queues.withLock({ $0 }) { queue.put(line, sequence: sequence) }
  }

  /// What was published may be looked at; who has lost records is told first.
  func flush(_ moment: @autoclosure () -> Moment) {
    for queue in queues.withLock({ $0 }) {
      if let loss = queue.takeLoss() { tell(loss, to: queue, moment()) }
    }
    bell.signal()
  }

  /// A `gap` record of this follower's own: it has the number of the last record that is missing, so that no number is
  /// taken from the others.
  private func tell(_ loss: RecordQueue.Loss, to queue: RecordQueue, _ moment: Moment) {
    let number = made.wrappingAdd(1, ordering: .relaxed).newValue
    let id = UUIDv7(milliseconds: moment.time.milliseconds, seed: seed, number: number)
    let head = RecordHead(
      type: .gap, id: id, time: moment.time, gatewayId: gatewayId, vehicleId: vehicleId, epoch: moment.epoch,
      sequence: loss.toSequence)
    var gap = GapRecord(fromSequence: loss.fromSequence, toSequence: loss.toSequence, reason: .slowReader)
    gap.count = loss.count
    gap.sink = "tail"
    var line = JSONLineEncoder(capacity: 1_024)
    line.record(head, gap)
    line.withLine { queue.put($0, sequence: 0) }
  }
}
