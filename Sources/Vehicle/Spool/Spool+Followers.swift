import Telemetry

/// A follower's position in the stream of records. The spool never waits for followers, and keeps no records for them.
public struct FollowerPosition: Equatable, Sendable {
  /// A position in one file or in one memory epoch. `generation` identifies the file or memory epoch.
  struct Place: Equatable, Sendable {
    var generation: UInt32
    /// The last sequence number that the follower has received.
    var sequence: UInt64
  }

  /// Position in the file; `nil` before ``Spool/show(_:to:into:)`` was first called.
  var file: Place?
  /// Position in memory; `nil` before ``Spool/show(_:to:into:)`` was first called.
  var memory: Place?

  /// Creates the position of a new follower, which receives only records that come later.
  public init() {}
}

/// A snapshot of the spool's state, for status displays.
public struct SpoolFigures: Sendable, Equatable {
  /// The place where new records are stored now.
  public var state: Spool.State
  /// Path of the spool's file.
  public var path: String
  /// The epoch of the records that sinks receive now.
  public var epoch: UUIDv7
  /// Number of records in the file that at least one sink has not acknowledged.
  public var records: Int64
  /// Number of records in memory that at least one sink has not acknowledged.
  public var memoryRecords: Int
  /// Number of bytes that the database uses, without its free pages.
  public var bytes: Int64
  /// Age of the oldest record in the file or in memory, ns; `nil` if there is none.
  public var oldestAge: Int64?
  /// For each sink, in the order of ``SpoolOptions/sinks``, the age of the oldest record that it has not acknowledged,
  /// ns; `nil` if there is none.
  public var sinkAges: [Int64?]
}

// Read access for status displays, and for local clients that follow the records.
extension Spool {
  /// Fills a batch with records that a follower has not received. These are committed records or, while the file cannot
  /// be used, the records in memory that were delivered to at least one sink.
  ///
  /// The first call returns no records. After the file was replaced, the follower continues at the end of the new file.
  ///
  /// - Parameter batch: the batch to fill, which is cleared first. If it becomes full, there may be more records.
  public mutating func show(
    _ limit: RecordBatch.Limit, to followerPosition: inout FollowerPosition, into batch: inout RecordBatch
  ) {
    batch.clear()
    // A new file begins with records that were copied from the old file. The follower has already received these
    // records from the old file or from memory.
    if followerPosition.file?.generation != generation { moveToEndOfFile(&followerPosition) }
    if followerPosition.memory?.generation != memory.generation {
      followerPosition.memory = FollowerPosition.Place(
        generation: memory.generation, sequence: followerPosition.memory == nil ? memory.last : 0)
    }
    guard state == .durable else {
      memory.show(behind: &followerPosition.memory!.sequence, limit, into: &batch)
      return
    }
    do throws(SQLiteError) {
      var place = followerPosition.file!.sequence
      try file?.show(behind: &place, limit: limit, .file(generation), passing: shownBefore, into: &batch)
      followerPosition.file!.sequence = place
      shownBefore.remove(0...place)
    } catch {
      batch.clear()
      fail(error)
    }
  }

  /// Moves a follower's position to the newest record, so that the follower receives only records that come later.
  public mutating func moveToEnd(_ followerPosition: inout FollowerPosition) {
    moveToEndOfFile(&followerPosition)
    followerPosition.memory = FollowerPosition.Place(generation: memory.generation, sequence: memory.last)
  }

  private mutating func moveToEndOfFile(_ followerPosition: inout FollowerPosition) {
    followerPosition.file = FollowerPosition.Place(generation: generation, sequence: file?.last ?? 0)
    shownBefore = SequenceSet()
  }

  /// Returns a snapshot of the state.
  ///
  /// - Parameter now: the current time, ns since boot.
  public mutating func figures(at now: Int64) -> SpoolFigures {
    self.now = max(self.now, now)
    var figures = SpoolFigures(
      state: state, path: path, epoch: presentEpoch, records: depth.file, memoryRecords: depth.memory, bytes: 0,
      sinkAges: progress.indices.map { memory.oldestTime(lackedBy: $0).map { self.now &- $0 } })
    figures.oldestAge = memory.records.lazy.map(\.time).min().map { self.now &- $0 }
    guard let file else { return figures }
    do throws(SQLiteError) {
      figures.bytes = try file.usedBytes()
      figures.oldestAge = Self.older(figures.oldestAge, try file.oldestAge(lackedBy: nil, at: self.now))
      for (index, sink) in progress.enumerated() {
        figures.sinkAges[index] = Self.older(
          figures.sinkAges[index], try file.oldestAge(lackedBy: sink, at: self.now))
      }
    } catch {
      fail(error)
      figures.state = state
    }
    return figures
  }

  private static func older(_ one: Int64?, _ other: Int64?) -> Int64? {
    guard let one, let other else { return one ?? other }
    return max(one, other)
  }
}
