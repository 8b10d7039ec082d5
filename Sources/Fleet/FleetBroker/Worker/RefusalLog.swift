import FleetDomain
import Logging

/// Logs refused messages, at most one line a second, so that invalid messages cannot fill the disk. A line that is due
/// names the newest of the messages that wait for it, and counts the others.
///
/// Call order: ``report(_:_:at:)`` for each refused message, ``logPending(at:)`` when ``deadline`` has passed, and
/// ``logPending(at:)`` with no time at the end.
struct RefusalLog {
  private struct Refusal {
    let topic: String
    let outcome: MessageStore.Outcome
  }

  private let logger: Logger
  /// The place where rejected messages are stored, for messages to people.
  private let keptIn: String
  private var next = Int64.min
  /// The newest message that is not in the log yet, and the number of those before it.
  private var pending: Refusal?
  private var others = 0

  init(_ logger: Logger, keptIn: String) {
    self.logger = logger
    self.keptIn = keptIn
  }

  /// The time at which messages that wait are due for the log; `.max` if none waits.
  var deadline: Int64 { pending == nil ? .max : next }

  mutating func report(_ topic: String, _ outcome: MessageStore.Outcome, at now: Int64) {
    if pending != nil { others += 1 }
    pending = Refusal(topic: topic, outcome: outcome)
    logPending(at: now)
  }

  /// Logs messages that wait, if they are due.
  ///
  /// - Parameter now: `nil` if there is no later call: they are due in any case.
  mutating func logPending(at now: Int64?) {
    guard let pending, now.map({ $0 >= next }) ?? true else { return }
    next = now.map { $0 &+ 1_000_000_000 } ?? next
    // A topic may contain line feeds.
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
