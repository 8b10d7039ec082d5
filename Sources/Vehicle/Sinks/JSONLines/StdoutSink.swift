import Failures
import Glibc
import Spool

/// Writes records as JSON lines to a file descriptor, by default stdout.
///
/// A record counts as delivered when all of its bytes are written. If the reader disconnects, the sink ends; this is
/// not an error.
public struct StdoutSink: Sink, ~Copyable {
  /// Maximum size of a batch.
  public static let limit = RecordBatch.Limit(records: 250, bytes: 1 << 16)

  private let output: LineOutput
  /// Time for which a batch may still be written after the sink was requested to stop, ns.
  private let patience: Int64

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - descriptor: an open file descriptor. The sink does not close it.
  ///   - patience: time for which a batch may still be written after the sink was requested to stop, ns.
  public init(descriptor: Int32 = STDOUT_FILENO, patience: Int64 = 300_000_000) {
    output = LineOutput(descriptor)
    self.patience = patience
  }

  public mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery {
    var deadline = Int64.max
    let (count, end) = output.write(batch.bytes[...], until: &deadline, patience: patience) { wakeUp.isStopping }
    var delivery = Delivery()
    delivery.acknowledge(0..<(batch.records.firstIndex { $0.range.upperBound > count } ?? batch.records.count))
    switch end {
    case nil, .late: break
    case .readerLeft: delivery.isOver = true
    case .failed(let code):
      delivery.events.append(.failing(SinkError(.system, "stdout", "cannot be written: \(systemReason(code))")))
      delivery.isOver = true
    }
    return delivery
  }

  public mutating func idle(until deadline: Int64, _ wakeUp: SinkWakeUp) -> Delivery {
    var delivery = Delivery()
    delivery.isOver = output.waitForReader(until: deadline, wakeUp)
    return delivery
  }
}
