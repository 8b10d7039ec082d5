import OBDWire
import Ports
import Synchronization

/// What a line has carried since it began: its thread counts, others read.
final class LinkFigures: Sendable {
  /// All of them; times in ns, moments of the boot clock.
  struct Counts: Sendable {
    /// Lines sent to the adapter, and prompts that came back.
    var commands: UInt64 = 0
    var replies: UInt64 = 0
    var readings: UInt64 = 0
    var receivedBytes: UInt64 = 0
    var sentBytes: UInt64 = 0
    /// How long a prompt was waited for, how long the line was open.
    var busy: Int64 = 0
    var open: Int64 = 0
    /// Of the last reading; nil: none yet.
    var lastReading: Int64?
    /// By the number of ``OBDWire/WireError/Kind``.
    var failures = InlineArray<64, UInt32>(repeating: 0)
    /// Replies, by the first failure in them.
    var failedReplies = InlineArray<64, UInt32>(repeating: 0)
    /// The first failure since a command was sent.
    var failure: UInt8?
    /// Since when a prompt is waited for, and since when the line is open; nil: it is not.
    var busySince: Int64?
    var openSince: Int64?

    /// With what is under way, up to now.
    func settled(at now: Int64) -> Counts {
      var counts = self
      if let busySince { counts.busy += max(0, now - busySince) }
      if let openSince { counts.open += max(0, now - openSince) }
      return counts
    }
  }

  private let counts = Mutex(Counts())

  /// In the line's thread; takes nothing from the heap.
  func put(_ new: Counts) { counts.withLock { $0 = new } }

  func read(at now: Int64) -> Counts { counts.withLock { $0 }.settled(at: now) }
}

extension LinkFigures.Counts {
  mutating func opened(at now: Int64) { openSince = now }

  mutating func closed(at now: Int64) {
    self = settled(at: now)
    busySince = nil
    openSince = nil
  }

  /// A prompt is not waited for any more.
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

  /// A prompt was read, and what stood in front of it.
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
