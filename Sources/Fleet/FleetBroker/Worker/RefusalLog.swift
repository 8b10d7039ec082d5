import FleetDomain
import Logging

/// Logs refused messages, at most one line per second, so that invalid messages cannot fill the disk. A line names the
/// newest message that was not logged yet, and contains the number of the other such messages.
///
/// Call order: ``report(_:_:at:)`` for each refused message, ``logPending(at:)`` when ``deadline`` has passed, and
/// ``logPending(at:)`` with `nil` at the end.
struct RefusalLog {
  private struct Refusal {
    let topic: String
    let outcome: MessageStore.Outcome
  }

  private let logger: Logger
  /// The place where rejected messages remain, as words for log lines.
  private let keptIn: String
  private var next = Int64.min
  /// The newest message that was not logged yet; `nil` if all were logged.
  private var pending: Refusal?
  /// The number of messages before ``pending`` that were not logged either.
  private var others = 0

  init(_ logger: Logger, keptIn: String) {
    self.logger = logger
    self.keptIn = keptIn
  }

  /// The time at which the pending messages are logged; `.max` if none is pending.
  var deadline: Int64 { pending == nil ? .max : next }

  mutating func report(_ topic: String, _ outcome: MessageStore.Outcome, at now: Int64) {
    if pending != nil { others += 1 }
    pending = Refusal(topic: topic, outcome: outcome)
    logPending(at: now)
  }

  /// Logs the pending messages if they are due.
  ///
  /// - Parameter now: the current time; `nil` at the end, when all pending messages are logged.
  mutating func logPending(at now: Int64?) {
    guard let pending, now.map({ $0 >= next }) ?? true else { return }
    next = now.map { $0 &+ 1_000_000_000 } ?? next
    // The topic is quoted, because it may contain line feeds.
    let text = RecordRefusal.quoted(pending.topic)
    let (refused, records) = (pending.outcome.refused, pending.outcome.records)
    let reason = pending.outcome.reason ?? "?"
    let more =
      switch others {
      case 0: ""
      case 1: "; 1 more message was refused just before it"
      default: "; \(others) more messages were refused just before it"
      }
    logger.warning("\(text): \(refused) of \(records) records refused: \(reason); \(keptIn)\(more)")
    self.pending = nil
    others = 0
  }
}
