import Spool
import Synchronization
import Telemetry

/// Numbers of records that were lost since the start, by reason.
package struct LossFigures: Sendable, Equatable {
  /// Number of lost records for each reason. The index is the raw value of the reason.
  private var counts = [UInt64](repeating: 0, count: GapRecord.Reason.allCases.count)
  /// Number of `gap` records that the spool's thread has made since the start.
  package fileprivate(set) var told: UInt64 = 0

  package init() {}

  /// Creates the numbers for a daemon whose only sink is stdout. Such a daemon loses records only if the reader of
  /// stdout is too slow.
  package init(slowReader: UInt64) { counts[Int(GapRecord.Reason.slowReader.rawValue)] = slowReader }

  package var total: UInt64 { counts.reduce(0, &+) }

  package subscript(reason: GapRecord.Reason) -> UInt64 { counts[Int(reason.rawValue)] }

  /// Adds the number of records in a loss. If this number is unknown, adds the number of the loss's sequence numbers;
  /// if these are also unknown, adds 1.
  fileprivate mutating func add(_ loss: Loss) {
    let numbers = loss.sequences.map { $0.upperBound &- $0.lowerBound &+ 1 }
    counts[Int(loss.reason.rawValue)] &+= loss.count ?? numbers ?? 1
  }
}

/// Numbers of lost records since the start. One thread adds losses, and other threads read the numbers.
package final class LossCounts: Sendable {
  private let figures = Mutex(LossFigures())

  package init() {}

  package func count(_ loss: Loss, isReported: Bool) {
    figures.withLock { figures in
      figures.add(loss)
      if isReported { figures.told &+= 1 }
    }
  }

  package var now: LossFigures { figures.withLock { $0 } }
}
