import FleetDomain
import Logging

/// Logs refused messages, at most one line a second, so that invalid messages cannot fill the disk.
struct RefusalLog {
  private let logger: Logger
  /// Where refused messages are kept, for people.
  private let keptIn: String
  private var next = Int64.min
  private var unsaid = 0

  init(_ logger: Logger, keptIn: String) {
    self.logger = logger
    self.keptIn = keptIn
  }

  mutating func report(_ topic: String, _ outcome: MessageStore.Outcome, at now: Int64) {
    guard now >= next else {
      unsaid += 1
      return
    }
    next = now &+ 1_000_000_000
    let others = unsaid == 0 ? "" : "; so were \(unsaid) messages before it"
    // A topic may contain line feeds.
    let text = RecordRefusal.quoted(topic)
    let reason = outcome.reason ?? "?"
    logger.warning("\(text): \(outcome.refused) of \(outcome.records) records refused: \(reason); \(keptIn)\(others)")
    unsaid = 0
  }
}
