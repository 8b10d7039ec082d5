import Telemetry

/// How far somebody who looks on has seen the records. Nothing waits for an onlooker, and nothing is kept for one.
public struct Onlooker: Equatable, Sendable {
  /// How far in one file, or in one epoch of the memory.
  struct Place: Equatable, Sendable {
    var generation: UInt32
    /// The last number that it has seen.
    var sequence: UInt64
  }

  /// Nil: it has not looked yet.
  var file: Place?
  var memory: Place?

  public init() {}
}

/// Where a spool stands, for people.
public struct SpoolFigures: Sendable, Equatable {
  public var state: Spool.State
  public var path: String
  public var epoch: UUIDv7?
  /// Records that some sink lacks, in the file and in memory.
  public var records: Int64
  public var memoryRecords: Int
  /// Of the file that hold something.
  public var bytes: Int64
  /// Of the oldest record, ns; as far as it is known.
  public var oldestAge: Int64?
  /// By sink: of the oldest record in the file that it lacks, ns.
  public var sinkAges: [Int64?]
}

// Those who only look on: people, and whoever follows the records on this machine.
extension Spool {
  /// Fills a batch with records that a sink may be handed by now and that the onlooker has not seen: the committed ones,
  /// or, while the file cannot be used, those in memory. The first look sees what is new from there on.
  ///
  /// - Parameter batch: emptied first. Where it is full there may be more.
  public mutating func show(
    _ limit: RecordBatch.Limit, to onlooker: inout Onlooker, into batch: inout RecordBatch
  ) {
    batch.clear()
    // A new file begins with what another had: that was seen there, or in memory.
    if onlooker.file?.generation != generation {
      onlooker.file = Onlooker.Place(generation: generation, sequence: file?.last ?? 0)
    }
    if onlooker.memory?.generation != memory.generation {
      onlooker.memory = Onlooker.Place(
        generation: memory.generation, sequence: onlooker.memory == nil ? memory.last : 0)
    }
    guard state == .durable else {
      let wall = file.map { $0.clock.latest(boot: $0.boot) } ?? wall
      memory.show(behind: &onlooker.memory!.sequence, limit, wall: wall, into: &batch)
      return
    }
    do throws(SQLiteError) {
      try file?.show(behind: &onlooker.file!.sequence, limit: limit, .file(generation), into: &batch)
    } catch {
      batch.clear()
      fail(error)
    }
  }

  /// Where it stands.
  public mutating func figures(at now: Int64) -> SpoolFigures {
    self.now = max(self.now, now)
    var figures = SpoolFigures(
      state: state, path: path, epoch: epoch, records: depth.file, memoryRecords: depth.memory, bytes: 0,
      sinkAges: progress.map { _ in nil })
    guard let file else { return figures }
    do throws(SQLiteError) {
      figures.bytes = try file.usedBytes()
      figures.oldestAge = try file.oldestAge(lackedBy: nil, at: self.now)
      for (index, sink) in progress.enumerated() {
        figures.sinkAges[index] = try file.oldestAge(lackedBy: sink, at: self.now)
      }
    } catch {
      fail(error)
      figures.state = state
    }
    return figures
  }
}
