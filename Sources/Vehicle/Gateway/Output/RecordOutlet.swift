import Fusion
import Spool
import Telemetry

/// The end at which the record thread puts records in, whatever is behind it.
struct RecordOutlet: RecordSink, ~Copyable {
  /// Where they go.
  enum Destination: Sendable {
    /// To stdout and nowhere else: nothing is kept.
    case stdout(RecordQueue)
    /// To the spool, and from there to every sink.
    case spool(SpoolQueue)
  }

  private let destination: Destination
  private let followers: Followers?
  private let epoch: UUIDv7?
  private var load = SpoolQueue.Load()
  private var hasNews = false
  private var wall = WallTime.unknown
  /// Records that it was given, by the number of their type.
  private(set) var made = [UInt64](repeating: 0, count: RecordType.allCases.count)

  /// - Parameters:
  ///   - followers: of the records, where they go to stdout alone; the spool shows its own once they are committed.
  ///   - epoch: of the records, where no spool gives another.
  init(_ destination: Destination, followers: Followers? = nil, epoch: UUIDv7? = nil) {
    self.destination = destination
    self.followers = followers
    self.epoch = epoch
  }

  mutating func record(_ line: Span<UInt8>) { record(line, at: 0) }

  mutating func record(_ line: Span<UInt8>, at time: Int64) {
    if let type = RecordType(beginning: line) { made[Int(type.rawValue)] &+= 1 }
    switch destination {
    case .stdout(let queue):
      queue.put(line)
      hasNews = true
      // Without a spool nothing is counted but what came here, from 1 on.
      if let followers, !followers.isEmpty { followers.publish(line, sequence: made.reduce(0, &+)) }
    case .spool:
      unsafe line.withUnsafeBufferPointer { unsafe load.bytes.append(contentsOf: $0) }
      load.records.append(SpoolQueue.Entry(length: Int32(truncatingIfNeeded: line.count), time: time))
    }
  }

  /// Whether what is remembered is kept with the records.
  var keepsNotes: Bool { if case .spool = destination { true } else { false } }

  /// Has something kept together with the records since the last ``flush()``; only where ``keepsNotes``.
  mutating func keep(_ value: [UInt8], as name: String) {
    load.notes.removeAll { $0.name == name }
    load.notes.append((name, value))
  }

  /// What date it is, from here on.
  mutating func setWallTime(_ wall: WallTime) {
    self.wall = wall
    if keepsNotes { load.wall = wall }
  }

  /// Records that a slow reader of stdout has cost.
  ///
  /// - Parameter isLast: they are told now or never.
  func takeLoss(isLast: Bool) -> RecordQueue.Loss? {
    if case .stdout(let queue) = destination { queue.takeLoss(isLast: isLast) } else { nil }
  }

  /// Hands on what came since the last call.
  mutating func flush(at now: Int64) {
    switch destination {
    case .stdout(let queue):
      guard hasNews else { return }
      hasNews = false
      queue.wakeUp.signal()
      if let followers, let epoch, !followers.isEmpty {
        followers.flush(Followers.Moment(time: RecordTime(now, wall), epoch: epoch))
      }
    case .spool(let queue): queue.put(&load)
    }
  }

  /// The same, and nothing will come any more.
  mutating func end(at now: Int64) {
    load.isLast = true
    flush(at: now)
    if case .stdout(let queue) = destination { queue.end() }
  }
}

extension RecordType {
  /// That of a record's line, as ``Telemetry/RecordHead`` begins it: `{"type":"telemetry",`
  fileprivate init?(beginning line: Span<UInt8>) {
    let place = 9
    // Not allCases, which is an array made anew each time.
    var number: UInt8 = 0
    while let type = RecordType(rawValue: number) {
      number += 1
      let name = type.name
      guard line.count > place + name.utf8CodeUnitCount else { continue }
      var index = 0
      while index < name.utf8CodeUnitCount, unsafe line[place + index] == name.utf8Start[index] { index += 1 }
      if index == name.utf8CodeUnitCount, line[place + index] == UInt8(ascii: "\"") {
        self = type
        return
      }
    }
    return nil
  }
}

extension RecordTime {
  /// A moment of the boot clock, ns, with what is known of the date.
  init(_ time: Int64, _ wall: WallTime) {
    self =
      wall.quality == .unset
      ? .elapsed(nanoseconds: time) : .wall(Timestamp(nanoseconds: time &+ wall.offset), wall.quality)
  }
}
