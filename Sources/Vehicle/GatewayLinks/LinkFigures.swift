import OBDWire
import Ports
import Synchronization

/// Numbers about the traffic of a link since the link was created. The link's thread writes them, and other threads
/// read them.
package final class LinkFigures: Sendable {
  /// All numbers about a link's traffic. Durations are in ns; times are in ns since boot.
  package struct Counts: Sendable {
    /// Number of commands that were sent to the adapter.
    package var commands: UInt64 = 0
    /// Number of replies that ended with a prompt.
    package var replies: UInt64 = 0
    package var readings: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    package var sentBytes: UInt64 = 0
    /// Total time for which the link's thread waited for a prompt, ns.
    package var busy: Int64 = 0
    /// Total time for which the link was open, ns.
    package var open: Int64 = 0
    /// Time of the last reading, ns since boot; `nil` if there was none.
    package var lastReading: Int64?
    /// Number of failures of each kind. The index is the raw value of ``OBDWire/WireError/Kind``.
    package var failures = InlineArray<64, UInt32>(repeating: 0)
    /// Number of replies with a failure, by the kind of the first failure in the reply. The index is the same as in
    /// ``failures``.
    package var failedReplies = InlineArray<64, UInt32>(repeating: 0)
    /// Kind of the first failure since the last command; `nil` if there was no failure.
    var failure: UInt8?
    /// Time at which the current wait for a prompt began, ns since boot; `nil` if the link is not waiting for a prompt.
    var busySince: Int64?
    /// Time at which the link was opened, ns since boot; `nil` if the link is not open.
    var openSince: Int64?

    /// Returns a copy of the numbers. It also includes the current wait and the current connection, up to `now`.
    func current(at now: Int64) -> Counts {
      var counts = self
      if let busySince { counts.busy += max(0, now - busySince) }
      if let openSince { counts.open += max(0, now - openSince) }
      return counts
    }
  }

  private let counts = Mutex(Counts())

  package init() {}

  /// Stores new values of all numbers. Only the link's thread calls this. It allocates no memory.
  package func put(_ new: Counts) { counts.withLock { $0 = new } }

  package func read(at now: Int64) -> Counts { counts.withLock { $0 }.current(at: now) }
}

extension LinkFigures.Counts {
  mutating func opened(at now: Int64) { openSince = now }

  mutating func closed(at now: Int64) {
    self = current(at: now)
    busySince = nil
    openSince = nil
  }

  /// Ends the current wait for a prompt, and adds its duration to ``busy``.
  mutating func gaveUp(at now: Int64) {
    if let since = busySince { busy += max(0, now - since) }
    busySince = nil
  }

  mutating func sent(_ bytes: Span<UInt8>, at now: Int64) {
    sentBytes &+= UInt64(bytes.count)
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\r") {
      commands &+= 1
      failure = nil
      busySince = busySince ?? now
    }
  }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64) {
    receivedBytes &+= UInt64(bytes.count)
    for index in bytes.indices where bytes[index] == UInt8(ascii: ">") { gaveUp(at: now) }
  }

  /// Counts a complete reply, and its first failure if it has one.
  mutating func replied() {
    replies &+= 1
    if let failure { failedReplies[Int(failure)] &+= 1 }
    failure = nil
  }

  mutating func failed(_ kind: WireError.Kind) {
    guard Int(kind.rawValue) < failures.count else { return }
    failures[Int(kind.rawValue)] &+= 1
    failure = failure ?? kind.rawValue
  }
}
