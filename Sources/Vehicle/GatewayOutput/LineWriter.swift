import Glibc
import Ports
import Sinks

/// Writes the records of a ``RecordQueue`` to a file descriptor. It runs in a thread of its own, so that a slow reader
/// delays no other work.
package struct LineWriter: ~Copyable {
  /// The reason why writing ended.
  package enum End: Sendable, Equatable {
    /// The queue has ended, and all of its records are written.
    case finished
    /// The reader has closed its end of the pipe or terminal.
    case readerLeft
    /// The daemon is ending, and the time limit for writing the remaining records has passed.
    case late
    /// A write failed; the value is `errno`.
    case failed(Int32)
  }

  private let descriptor: Int32
  private let queue: RecordQueue
  private let output: LineOutput
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  package init(_ descriptor: Int32, _ queue: RecordQueue) {
    self.descriptor = descriptor
    self.queue = queue
    output = LineOutput(descriptor)
  }

  /// Writes until the queue ends.
  ///
  /// - Parameters:
  ///   - patience: time for which writing may continue after `isEnding` has returned `true`, ns.
  ///   - isEnding: whether the daemon is ending; called repeatedly while records are written.
  package mutating func run(patience: Int64 = 1_000_000_000, isEnding: () -> Bool) -> End {
    var deadline = Int64.max
    while true {
      guard let count = queue.moveLines(into: &buffer) else { return .finished }
      if count > 0 {
        let written = output.write(buffer[..<count], until: &deadline, patience: patience, isEnding: isEnding)
        switch written.end {
        case nil: break
        case .readerLeft: return .readerLeft
        case .late: return .late
        case .failed(let code): return .failed(code)
        }
      } else if hasReaderLeft() {
        return .readerLeft
      }
    }
  }

  /// Waits until there are records, or the reader has closed its end of the connection. Returns whether the reader has
  /// closed its end. A failed write would also show that the reader has left, but while there are no records, nothing
  /// is written.
  private func hasReaderLeft() -> Bool {
    var waiting: InlineArray<2, pollfd> = [
      pollfd(fd: queue.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: 0, revents: 0),
    ]
    var span = waiting.mutableSpan
    _ = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), -1) }
    let hasRung = span[0].revents != 0
    if hasRung { queue.wakeUp.clear() }
    // The reader has disconnected. From now on, each call of poll(2) would return immediately, so waiting again would
    // be a busy loop.
    return !hasRung && LineOutput.hasReaderLeft(Int32(span[1].revents))
  }
}
