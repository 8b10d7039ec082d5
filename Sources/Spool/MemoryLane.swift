import Telemetry

/// Records that no file has: those that wait for the next commit, and, while the file cannot be used, all new ones.
///
/// In the latter case sinks are handed them from here, counted in an epoch of their own. A record is given its number
/// when the first sink is handed it; once the file is there again, it takes those that some sink still lacks.
struct MemoryLane: ~Copyable {
  private(set) var records: [PendingRecord] = []
  /// What they take, roughly.
  private(set) var bytes = 0
  /// In which those with a number are counted.
  private(set) var epoch: UUIDv7
  /// How often an epoch has begun: names the one that a sink speaks of.
  private(set) var generation: UInt32 = 0
  /// The highest number given.
  private(set) var last: UInt64 = 0
  private var renderer = RecordRenderer()
  /// Records without a number: the file has to take them.
  private(set) var uncountedRecords = 0
  /// Events among them.
  private(set) var uncountedEvents = 0
  /// What they take, roughly.
  private(set) var uncountedBytes = 0

  init(epoch: UUIDv7) { self.epoch = epoch }

  mutating func append(_ record: PendingRecord) {
    records.append(record)
    bytes += record.size
    count(record, 1)
  }

  /// What a commit takes: those that no sink has seen, and those that some sinks have and that none is being handed.
  var movable: [PendingRecord] { records.filter(Self.isMovable) }

  /// Whether there are any.
  var hasMovable: Bool {
    uncountedRecords > 0 || !records.isEmpty && records.contains(where: Self.isMovable)
  }

  private static func isMovable(_ record: PendingRecord) -> Bool { record.number == 0 || record.handedOut == 0 }

  /// The file has all of them. Once no other is left, numbers begin again, in a new epoch.
  mutating func removeMovable(newEpoch: () -> UUIDv7) {
    records.removeAll(where: Self.isMovable)
    recount()
    guard records.isEmpty, last > 0 else { return }
    last = 0
    epoch = newEpoch()
    generation += 1
  }

  /// The losses that records tell of are in no file any more.
  mutating func forgetRows() {
    for index in records.indices { records[index].explains?.row = 0 }
  }

  private mutating func count(_ record: PendingRecord, _ difference: Int) {
    guard record.number == 0 else { return }
    uncountedRecords += difference
    uncountedBytes += difference * record.size
    if record.lane == .events { uncountedEvents += difference }
  }

  private mutating func recount() {
    bytes = 0
    (uncountedRecords, uncountedEvents, uncountedBytes) = (0, 0, 0)
    for record in records {
      bytes += record.size
      count(record, 1)
    }
  }

  /// So many records were lost before they came here: they take numbers.
  mutating func skip(_ count: UInt64, reason: GapRecord.Reason) -> Loss {
    defer { last += count }
    return Loss(reason, epoch: epoch, sequences: (last + 1)...(last + count), count: count)
  }

  // MARK: Sinks

  /// Puts records of a lane that a sink does not have behind those of the batch.
  ///
  /// - Parameters:
  ///   - givesNumbers: whether those without a number are handed out, too.
  ///   - wall: what date it is.
  /// - Returns: false where the batch is full.
  mutating func fill(
    _ batch: inout RecordBatch, sink: Int, _ lane: Lane, _ limit: RecordBatch.Limit, givesNumbers: Bool,
    wall: WallTime
  ) -> Bool {
    let bit: UInt32 = 1 << UInt32(sink)
    for index in records.indices where records[index].lane == lane {
      guard (records[index].acknowledged | records[index].handedOut) & bit == 0 else { continue }
      if records[index].number == 0, !givesNumbers { continue }
      let number = records[index].number == 0 ? last + 1 : records[index].number
      let isNew = records[index].number == 0
      let start = batch.bytes.count
      let line = records[index].line.bytes
      let isUnseen = isNew || !records[index].hasLeft && records[index].handedOut == 0
      let wall = isUnseen ? wall : records[index].wall
      renderer.write(
        line.span, epoch: epoch, sequence: number, time: records[index].time, wall: wall, to: &batch.bytes)
      let name = RecordBatch.Number(number, in: .memory(generation))
      guard batch.take(name, records[index].line.type, from: start, limit) else { return false }
      records[index].handedOut |= bit
      records[index].wall = wall
      if isNew {
        count(records[index], -1)
        records[index].number = number
        last = number
      }
    }
    return true
  }

  /// Shows an onlooker what some sink was handed: what has no number yet has none for anybody.
  mutating func show(behind place: inout UInt64, _ limit: RecordBatch.Limit, into batch: inout RecordBatch) {
    // Those of a lane stand in the order of their numbers, those of both do not.
    let unseen = records.indices.filter { records[$0].number > place }.sorted {
      records[$0].number < records[$1].number
    }
    for index in unseen {
      let start = batch.bytes.count
      let line = records[index].line.bytes
      renderer.write(
        line.span, epoch: epoch, sequence: records[index].number, time: records[index].time, wall: records[index].wall,
        to: &batch.bytes)
      let name = RecordBatch.Number(records[index].number, in: .memory(generation))
      guard batch.take(name, records[index].line.type, from: start, limit) else { return }
      place = records[index].number
    }
  }

  /// When the oldest record was that a sink does not have for good, boot time; nil: it has all.
  func oldestTime(lackedBy sink: Int) -> Int64? {
    let bit: UInt32 = 1 << UInt32(sink)
    return records.lazy.filter { $0.acknowledged & bit == 0 }.map(\.time).min()
  }

  /// Notes that a sink has, for good, those of the range that it was handed.
  ///
  /// - Parameter sinks: how many there are; what all have is removed.
  /// - Returns: rows of losses that are told with this.
  mutating func acknowledge(_ range: ClosedRange<UInt64>, sink: Int, of sinks: Int) -> [Int64] {
    let bit: UInt32 = 1 << UInt32(sink)
    let all: UInt32 = sinks == 32 ? .max : 1 << UInt32(sinks) - 1
    var told: [Int64] = []
    for index in records.indices where range.contains(records[index].number) && records[index].handedOut & bit != 0 {
      records[index].handedOut &= ~bit
      records[index].acknowledged |= bit
      records[index].hasLeft = true
      if records[index].acknowledged == all, let row = records[index].explains?.row, row != 0 { told.append(row) }
    }
    records.removeAll { $0.acknowledged == all }
    recount()
    return told
  }

  /// What a sink was handed, of a range, is to be handed out once more.
  ///
  /// - Parameter sentNothing: the sink has sent none of it.
  mutating func giveBack(_ range: ClosedRange<UInt64>, sink: Int, sentNothing: Bool) {
    let bit: UInt32 = 1 << UInt32(sink)
    for index in records.indices where range.contains(records[index].number) && records[index].handedOut & bit != 0 {
      records[index].handedOut &= ~bit
      if !sentNothing { records[index].hasLeft = true }
    }
  }

  // MARK: Room

  /// Drops the oldest telemetry, and events once there is none, until no more than `limit` bytes are taken.
  ///
  /// - Returns: what is lost by it.
  mutating func keepWithin(_ limit: Int, sinks: [String]) -> [Loss] {
    guard bytes > limit else { return [] }
    // More than needed, so that a few large gaps are told of and not one for each record.
    let aim = limit - limit / 8
    var dropped: [PendingRecord] = []
    for lane in [Lane.telemetry, .events] {
      var index = 0
      var kept: [PendingRecord] = []
      kept.reserveCapacity(records.count)
      while index < records.count {
        if bytes > aim, records[index].lane == lane {
          bytes -= records[index].size
          dropped.append(records[index])
        } else {
          kept.append(records[index])
        }
        index += 1
      }
      records = kept
    }
    recount()
    for index in dropped.indices where dropped[index].number == 0 {
      last += 1
      dropped[index].number = last
    }
    dropped.sort { $0.number < $1.number }
    let numbers = dropped.map { ($0.number, $0.line.type) }
    let byNumber = Dictionary(uniqueKeysWithValues: dropped.map { ($0.number, $0.acknowledged) })
    let losses = Loss.of(numbers, epoch: epoch, sinks: sinks, reason: .spoolFull) { sink, number in
      byNumber[number, default: 0] >> UInt32(sink) & 1 == 1
    }
    // A record of a loss that is lost itself: the loss is owed again.
    return (losses + dropped.compactMap(\.explains)).map { takeBack(for: $0) }
  }

  /// A record of a loss of the same kind, that no sink has seen, is taken back: one will tell of both. Otherwise
  /// records about losses would in time be all that is kept.
  private mutating func takeBack(for loss: Loss) -> Loss {
    let found = records.firstIndex { record in
      guard record.number == 0, var told = record.explains else { return false }
      return told.merge(loss)
    }
    guard let found, var merged = records[found].explains, merged.merge(loss) else { return loss }
    bytes -= records[found].size
    count(records[found], -1)
    records.remove(at: found)
    return merged
  }
}
