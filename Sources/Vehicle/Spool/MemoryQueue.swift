import Telemetry

/// Records that are not in a file: those that wait for the next commit and, as long as the file cannot be used, all new
/// ones.
///
/// As long as the file cannot be used, sinks receive records from here, with an epoch of their own (a memory epoch). A
/// record gets its number in this epoch when it is first delivered to a sink. When the file works again, the records
/// that some sink still lacks are moved into it.
struct MemoryQueue: ~Copyable {
  /// The records, in the order of their arrival.
  private(set) var records: [PendingRecord] = []
  /// Approximate size of all records, bytes.
  private(set) var bytes = 0
  /// The memory epoch: the epoch of those records that have a number.
  private(set) var epoch: UUIDv7
  /// Number of memory epochs so far. It distinguishes them in ``RecordBatch/Source``.
  private(set) var generation: UInt32 = 0
  /// The highest number in this memory epoch.
  private(set) var last: UInt64 = 0
  private var renderer = RecordRenderer()
  /// Number of records that have no number yet. The file numbers them.
  private(set) var uncountedRecords = 0
  /// Number of events that have no sequence number yet.
  private(set) var uncountedEvents = 0
  /// Approximate size of the records that have no sequence number yet, bytes.
  private(set) var uncountedBytes = 0

  init(epoch: UUIDv7) { self.epoch = epoch }

  /// Appends a record that has no sequence number yet.
  mutating func append(_ record: PendingRecord) {
    records.append(record)
    bytes += record.size
    count(record, 1)
  }

  /// The records for the next commit: those that are not in flight to any sink.
  var movable: [PendingRecord] { records.filter(Self.isMovable) }

  /// Whether ``movable`` contains a record.
  var hasMovable: Bool {
    uncountedRecords > 0 || !records.isEmpty && records.contains(where: Self.isMovable)
  }

  private static func isMovable(_ record: PendingRecord) -> Bool { record.number == 0 || record.handedOut == 0 }

  /// Removes the records of ``movable``, because they were committed. If none is left, a new memory epoch begins.
  mutating func removeMovable(newEpoch: () -> UUIDv7) {
    records.removeAll(where: Self.isMovable)
    recount()
    guard records.isEmpty, last > 0 else { return }
    last = 0
    epoch = newEpoch()
    generation += 1
  }

  /// Discards the row numbers of losses, because the file that contained them was replaced.
  mutating func clearRows() {
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

  /// Gives numbers to records that were lost before they reached the spool.
  mutating func skip(_ count: UInt64, reason: GapRecord.Reason) -> Loss {
    defer { last += count }
    return Loss(reason, epoch: epoch, sequences: (last + 1)...(last + count), count: count)
  }

  // MARK: Sinks

  /// Appends to a batch those records of a lane that a sink lacks.
  ///
  /// - Parameters:
  ///   - givesNumbers: whether records without a number are also delivered, and get one.
  ///   - wall: the date as it is known now.
  /// - Returns: `false` if the batch is full.
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
      guard batch.append(name, records[index].line.type, from: start, limit) else { return false }
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

  /// Appends, for a follower, those records that were delivered to some sink. Records without a number are left out.
  mutating func show(behind place: inout UInt64, _ limit: RecordBatch.Limit, into batch: inout RecordBatch) {
    // Numbers ascend in each lane, but not in both lanes together.
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
      guard batch.append(name, records[index].line.type, from: start, limit) else { return }
      place = records[index].number
    }
  }

  /// Boot time of the oldest record that a sink has not acknowledged, ns; `nil` if there is none.
  func oldestTime(lackedBy sink: Int) -> Int64? {
    let bit: UInt32 = 1 << UInt32(sink)
    return records.lazy.filter { $0.acknowledged & bit == 0 }.map(\.time).min()
  }

  /// Marks those records of a range that are in flight to a sink as acknowledged.
  ///
  /// - Parameter sinks: number of sinks. A record that all of them have acknowledged is removed.
  /// - Returns: rows of the losses that the removed records reported.
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

  /// Marks those records of a range that are in flight to a sink as not delivered, so that they are delivered again.
  ///
  /// - Parameter sentNothing: whether no byte of them was sent.
  mutating func requeue(_ range: ClosedRange<UInt64>, sink: Int, sentNothing: Bool) {
    let bit: UInt32 = 1 << UInt32(sink)
    for index in records.indices where range.contains(records[index].number) && records[index].handedOut & bit != 0 {
      records[index].handedOut &= ~bit
      if !sentNothing { records[index].hasLeft = true }
    }
  }

  // MARK: Room

  /// Drops the oldest telemetry, then the oldest events, until at most `limit` bytes are in use.
  ///
  /// - Returns: the losses that follow from this.
  mutating func keepWithin(_ limit: Int, sinks: [String]) -> [Loss] {
    guard bytes > limit else { return [] }
    // Drop more than is necessary. There are then a few large gaps instead of a gap for each record.
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
    // If a dropped record was itself a `gap` record, its loss must be reported again.
    return (losses + dropped.compactMap(\.explains)).map { withdrawReport(of: $0) }
  }

  /// Merges a loss with that of a `gap` record that is still waiting, and removes that record. Otherwise, `gap` records
  /// would in time fill the memory.
  private mutating func withdrawReport(of loss: Loss) -> Loss {
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
