import Fusion
import Spool
import Telemetry

/// The output of the record thread: passes records to stdout or to the spool.
package struct RecordOutput: RecordSink, ~Copyable {
  /// The destination of the records.
  package enum Destination: Sendable {
    /// Only stdout; records are not stored.
    case stdout(RecordQueue)
    /// The spool, which passes the records to all sinks.
    case spool(SpoolQueue)
  }

  private let destination: Destination
  private let followers: Followers?
  private let epoch: UUIDv7?
  private var load = SpoolQueue.Load()
  private var hasUnflushedRecords = false
  private var wall = WallTime.unknown
  /// Number of records that were made, for each type. The index is the raw value of the type.
  package private(set) var made = [UInt64](repeating: 0, count: RecordType.allCases.count)

  /// Creates the output.
  ///
  /// - Parameters:
  ///   - followers: receive the records if stdout is the only sink; otherwise `nil`. With a spool, they receive records
  ///     from the spool's thread, after the commit.
  ///   - epoch: the epoch of the records if there is no spool; otherwise unused.
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
      // Without a spool, records are numbered from 1 in the order of their arrival here. Therefore, the number of
      // records is the sequence number of the current one.
      if let followers, !followers.isEmpty { followers.publish(line, sequence: made.reduce(0, &+)) }
    case .spool:
      unsafe line.withUnsafeBufferPointer { unsafe load.bytes.append(contentsOf: $0) }
      load.records.append(SpoolQueue.Entry(length: Int32(truncatingIfNeeded: line.count), time: time))
    }
  }

  /// Whether the destination can store notes (named values) together with records.
  package var keepsNotes: Bool { if case .spool = destination { true } else { false } }

  /// Stores a note in the same commit as the records since the last ``flush(at:)``. Call this only if ``keepsNotes`` is
  /// `true`.
  package mutating func setNote(_ value: [UInt8], as name: String) {
    load.notes.removeAll { $0.name == name }
    load.notes.append((name, value))
  }

  /// Sets the date, which applies to later records.
  package mutating func setWallTime(_ wall: WallTime) {
    self.wall = wall
    if keepsNotes { load.wall = wall }
  }

  /// Removes and returns the loss of the records that were discarded because the reader of stdout was too slow; `nil`
  /// if no loss can be reported now.
  ///
  /// - Parameter isLast: whether the output ends after this call. A loss is then reported in any case.
  package func popLoss(isLast: Bool) -> RecordQueue.Loss? {
    if case .stdout(let queue) = destination { queue.popLoss(isLast: isLast) } else { nil }
  }

  /// Passes the records since the last call to the destination.
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

  /// Passes the remaining records to the destination, and ends the output.
  package mutating func end(at now: Int64) {
    load.isLast = true
    flush(at: now)
    if case .stdout(let queue) = destination { queue.end() }
  }
}

extension RecordType {
  /// Reads the type of a record from the start of its text line, as ``Telemetry/RecordHead`` writes it
  /// (`{"type":"telemetry",`); `nil` if the line begins in another way.
  fileprivate init?(beginning line: Span<UInt8>) {
    let place = 9
    // The loop does not use `allCases`, which would allocate an array each time.
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
  /// Creates the time of a record from a time since boot in ns, and the date if it is known.
  package init(_ time: Int64, _ wall: WallTime) {
    self =
      wall.quality == .unset
      ? .elapsed(nanoseconds: time) : .wall(Timestamp(nanoseconds: time &+ wall.offset), wall.quality)
  }
}
