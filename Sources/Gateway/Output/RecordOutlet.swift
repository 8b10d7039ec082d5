import Fusion
import Spool
import Telemetry

/// The end at which the record thread puts records in, whatever is behind it.
struct RecordOutlet: RecordSink, ~Copyable {
  /// Where they go.
  enum Way: Sendable {
    /// To stdout and nowhere else: nothing is kept.
    case stdout(RecordQueue)
    /// To the spool, and from there to every sink.
    case spool(SpoolQueue)
  }

  private let way: Way
  private var load = SpoolQueue.Load()
  private var hasNews = false

  init(_ way: Way) { self.way = way }

  mutating func record(_ line: Span<UInt8>) { record(line, at: 0) }

  mutating func record(_ line: Span<UInt8>, at time: Int64) {
    switch way {
    case .stdout(let queue):
      queue.put(line)
      hasNews = true
    case .spool:
      unsafe line.withUnsafeBufferPointer { unsafe load.bytes.append(contentsOf: $0) }
      load.records.append(SpoolQueue.Entry(length: Int32(truncatingIfNeeded: line.count), time: time))
    }
  }

  /// Whether what is remembered is kept with the records.
  var keepsNotes: Bool { if case .spool = way { true } else { false } }

  /// Has something kept together with the records since the last ``flush()``; only where ``keepsNotes``.
  mutating func keep(_ value: [UInt8], as name: String) {
    load.notes.removeAll { $0.name == name }
    load.notes.append((name, value))
  }

  /// What date it is, from here on.
  mutating func setWallTime(_ wall: WallTime) { if keepsNotes { load.wall = wall } }

  /// Records that a slow reader of stdout has cost.
  ///
  /// - Parameter isLast: they are told now or never.
  func takeLoss(isLast: Bool) -> RecordQueue.Loss? {
    if case .stdout(let queue) = way { queue.takeLoss(isLast: isLast) } else { nil }
  }

  /// Hands on what came since the last call.
  mutating func flush() {
    switch way {
    case .stdout(let queue):
      guard hasNews else { return }
      hasNews = false
      queue.wakeUp.signal()
    case .spool(let queue): queue.put(&load)
    }
  }

  /// The same, and nothing will come any more.
  mutating func end() {
    load.isLast = true
    flush()
    if case .stdout(let queue) = way { queue.end() }
  }
}
