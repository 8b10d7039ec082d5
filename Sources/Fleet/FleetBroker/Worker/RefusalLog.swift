import FleetDomain
import Logging

/// Names what is refused, at most a line a second: whoever sends nonsense must not fill the disk with it.
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

  mutating func note(_ topic: String, _ outcome: MessageStore.Outcome, at now: Int64) {
    guard now >= next else {
      unsaid += 1
      return
    }
    next = now &+ 1_000_000_000
    let others = unsaid == 0 ? "" : "; so were \(unsaid) messages before it"
    // A topic may have line feeds in it.
    let text = RecordRefusal.quoted(topic)
    let reason = outcome.reason ?? "?"
    logger.warning("\(text): \(outcome.refused) of \(outcome.records) records refused: \(reason); \(keptIn)\(others)")
    unsaid = 0
  }
}
