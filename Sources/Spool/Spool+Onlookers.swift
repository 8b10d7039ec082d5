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
  /// In which records are counted that sinks are handed now.
  public var epoch: UUIDv7
  /// Records that some sink lacks, in the file and in memory.
  public var records: Int64
  public var memoryRecords: Int
  /// Of the file that hold something.
  public var bytes: Int64
  /// Of the oldest record, ns; as far as it is known.
  public var oldestAge: Int64?
  /// By sink: of the oldest record that it lacks, ns.
  public var sinkAges: [Int64?]
}

// Those who only look on: people, and whoever follows the records on this machine.
extension Spool {
  /// Fills a batch with records that the onlooker has not seen: the committed ones, or, while the file cannot be used, those
  /// in memory that some sink was handed. The first look sees what is new from there on; a new file begins with its end.
  ///
  /// - Parameter batch: emptied first. Where it is full there may be more.
  public mutating func show(
    _ limit: RecordBatch.Limit, to onlooker: inout Onlooker, into batch: inout RecordBatch
  ) {
    batch.clear()
    // A new file begins with what another had: that was seen there, or in memory.
    if onlooker.file?.generation != generation { passFile(&onlooker) }
    if onlooker.memory?.generation != memory.generation {
      onlooker.memory = Onlooker.Place(
        generation: memory.generation, sequence: onlooker.memory == nil ? memory.last : 0)
    }
    guard state == .durable else {
      memory.show(behind: &onlooker.memory!.sequence, limit, into: &batch)
      return
    }
    do throws(SQLiteError) {
      var place = onlooker.file!.sequence
      try file?.show(behind: &place, limit: limit, .file(generation), passing: shownBefore, into: &batch)
      onlooker.file!.sequence = place
      shownBefore.remove(0...place)
    } catch {
      batch.clear()
      fail(error)
    }
  }

  /// Passes over what an onlooker could see by now.
  public mutating func pass(_ onlooker: inout Onlooker) {
    passFile(&onlooker)
    onlooker.memory = Onlooker.Place(generation: memory.generation, sequence: memory.last)
  }

  private mutating func passFile(_ onlooker: inout Onlooker) {
    onlooker.file = Onlooker.Place(generation: generation, sequence: file?.last ?? 0)
    shownBefore = SequenceSet()
  }

  /// Where it stands.
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
