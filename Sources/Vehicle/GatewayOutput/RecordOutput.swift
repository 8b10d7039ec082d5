import Fusion
import Spool
import Telemetry

/// The output of the record thread: to stdout or to the spool.
package struct RecordOutput: RecordSink, ~Copyable {
  /// Where the records go.
  package enum Destination: Sendable {
    /// To stdout only. Nothing is stored.
    case stdout(RecordQueue)
    /// To the spool, and from there to all sinks.
    case spool(SpoolQueue)
  }

  private let destination: Destination
  private let followers: Followers?
  private let epoch: UUIDv7?
  private var load = SpoolQueue.Load()
  private var hasUnflushedRecords = false
  private var wall = WallTime.unknown
  /// Number of records of each type; the index is the raw value of the type.
  package private(set) var made = [UInt64](repeating: 0, count: RecordType.allCases.count)

  /// Creates the output.
  ///
  /// - Parameters:
  ///   - followers: clients that receive the records; only if stdout is the only sink. With a spool, they receive
  ///     records from the spool's thread, after the commit.
  ///   - epoch: the epoch of the records if there is no spool.
  package init(_ destination: Destination, followers: Followers? = nil, epoch: UUIDv7? = nil) {
    self.destination = destination
    self.followers = followers
    self.epoch = epoch
  }

  package mutating func record(_ line: Span<UInt8>) { record(line, at: 0) }

  package mutating func record(_ line: Span<UInt8>, at time: Int64) {
    if let type = RecordType(beginning: line) { made[Int(type.rawValue)] &+= 1 }
    switch destination {
    case .stdout(let queue):
      queue.put(line)
      hasUnflushedRecords = true
      // Without a spool, records are numbered from 1 in the order in which they arrive here, so the number of records
      // made is the sequence number.
      if let followers, !followers.isEmpty { followers.publish(line, sequence: made.reduce(0, &+)) }
    case .spool:
      unsafe line.withUnsafeBufferPointer { unsafe load.bytes.append(contentsOf: $0) }
      load.records.append(SpoolQueue.Entry(length: Int32(truncatingIfNeeded: line.count), time: time))
    }
  }

  /// Whether the destination can store notes, which are named values, together with records.
  package var keepsNotes: Bool { if case .spool = destination { true } else { false } }

  /// Stores a named value in the same commit as the records since the last ``flush(at:)``. Call it only if
  /// ``keepsNotes`` is `true`.
  package mutating func setNote(_ value: [UInt8], as name: String) {
    load.notes.removeAll { $0.name == name }
    load.notes.append((name, value))
  }

  /// Sets the known date. It applies from now on.
  package mutating func setWallTime(_ wall: WallTime) {
    self.wall = wall
    if keepsNotes { load.wall = wall }
  }

  /// Removes and returns the records that were dropped because a reader of stdout was too slow; `nil` if there are none
  /// to report.
  ///
  /// - Parameter isLast: whether this is the last call.
  package func takeLoss(isLast: Bool) -> RecordQueue.Loss? {
    if case .stdout(let queue) = destination { queue.takeLoss(isLast: isLast) } else { nil }
  }

  /// Passes all records since the last call to the destination.
  package mutating func flush(at now: Int64) {
    switch destination {
    case .stdout(let queue):
      guard hasUnflushedRecords else { return }
      hasUnflushedRecords = false
      queue.wakeUp.signal()
      if let followers, let epoch, !followers.isEmpty {
        followers.flush(Followers.Moment(time: RecordTime(now, wall), epoch: epoch))
      }
    case .spool(let queue): queue.put(&load)
    }
  }

  /// Passes all remaining records to the destination, and ends the output.
  package mutating func end(at now: Int64) {
    load.isLast = true
    flush(at: now)
    if case .stdout(let queue) = destination { queue.end() }
  }
}

extension RecordType {
  /// Parses the type of a record at the beginning of its line, where ``Telemetry/RecordHead`` has written it:
  /// `{"type":"telemetry",`
  fileprivate init?(beginning line: Span<UInt8>) {
    let place = 9
    // `allCases` would allocate an array each time.
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
  /// Creates the time of a record from a boot time in ns and the known date.
  package init(_ time: Int64, _ wall: WallTime) {
    self =
      wall.quality == .unset
      ? .elapsed(nanoseconds: time) : .wall(Timestamp(nanoseconds: time &+ wall.offset), wall.quality)
  }
}
