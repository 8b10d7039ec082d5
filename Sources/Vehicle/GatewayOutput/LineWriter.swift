import Glibc
import Ports
import Sinks

/// Writes the records of a ``RecordQueue`` in its own thread, so that a slow reader delays nothing else.
package struct LineWriter: ~Copyable {
  /// Why writing ended.
  package enum End: Sendable, Equatable {
    /// The queue has ended, and everything is written.
    case finished
    /// The reader has closed its end.
    case readerLeft
    /// The time limit for the rest has passed.
    case late
    /// `errno`
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
  ///   - patience: how long writing may continue once `isEnding` returns `true`, ns.
  ///   - isEnding: polled while writing.
  package mutating func run(patience: Int64 = 1_000_000_000, isEnding: () -> Bool) -> End {
    var deadline = Int64.max
    while true {
      guard let count = queue.take(into: &buffer) else { return .finished }
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

  /// Waits for records, or until the reader closes its end, which no write detects while there are no records.
  private func hasReaderLeft() -> Bool {
    var waiting: InlineArray<2, pollfd> = [
      pollfd(fd: queue.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: 0, revents: 0),
    ]
    var span = waiting.mutableSpan
    _ = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), -1) }
    let hasRung = span[0].revents != 0
    if hasRung { queue.wakeUp.clear() }
    // poll(2) reports this from now on; to continue would be a busy loop.
    return !hasRung && LineOutput.hasReaderLeft(Int32(span[1].revents))
  }
}
