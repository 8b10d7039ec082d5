import Spool
import Synchronization
import Telemetry

/// Records that are lost since the start, by what took them.
struct LossFigures: Sendable, Equatable {
  /// By the number of the reason.
  private var counts = [UInt64](repeating: 0, count: GapRecord.Reason.allCases.count)
  /// `gap` records that the spool's thread has made about them.
  fileprivate(set) var told: UInt64 = 0

  init() {}

  /// - Parameter slowReader: where records go to stdout alone.
  init(slowReader: UInt64) { counts[Int(GapRecord.Reason.slowReader.rawValue)] = slowReader }

  var total: UInt64 { counts.reduce(0, &+) }

  subscript(reason: GapRecord.Reason) -> UInt64 { counts[Int(reason.rawValue)] }

  /// Adds the count of a loss; if it is unknown, the number of sequence numbers; if these are unknown, 1.
  fileprivate mutating func add(_ loss: Loss) {
    let numbers = loss.sequences.map { $0.upperBound &- $0.lowerBound &+ 1 }
    counts[Int(loss.reason.rawValue)] &+= loss.count ?? numbers ?? 1
  }
}

/// The same as they are counted by one thread and read by others.
final class LossCounts: Sendable {
  private let figures = Mutex(LossFigures())

  func count(_ loss: Loss, isTold: Bool) {
    figures.withLock { figures in
      figures.add(loss)
      if isTold { figures.told &+= 1 }
    }
  }

  var now: LossFigures { figures.withLock { $0 } }
}
