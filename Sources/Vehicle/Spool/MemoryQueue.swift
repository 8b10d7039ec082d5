import Telemetry

/// The records that are not in the spool's file: those that wait for the next commit and, while the file cannot be
/// used, all new records.
///
/// While the file cannot be used, sinks receive records from this queue, with an epoch of their own (a memory epoch). A
/// record gets its number in this epoch when it is first delivered to a sink. When the file can be used again, the
/// records that at least one sink has not acknowledged are moved into the file.
struct MemoryQueue: ~Copyable {
  /// The records, in the order of their arrival.
  private(set) var records: [PendingRecord] = []
  /// Approximate size of all records, bytes.
  private(set) var bytes = 0
  /// The memory epoch, to which the numbers of the records in this queue belong.
  private(set) var epoch: UUIDv7
  /// Number of memory epochs that have ended. In ``RecordBatch/Source``, it identifies the current memory epoch.
  private(set) var generation: UInt32 = 0
  /// The highest sequence number that was used in this memory epoch.
  private(set) var last: UInt64 = 0
  private var renderer = RecordRenderer()
  /// Count of the records that have no sequence number of the memory epoch yet.
  private(set) var uncountedRecords = 0
  /// Count of the events that have no sequence number of the memory epoch yet.
  private(set) var uncountedEvents = 0
  /// Approximate size of the records that have no sequence number of the memory epoch yet, bytes.
  private(set) var uncountedBytes = 0

  init(epoch: UUIDv7) { self.epoch = epoch }

  /// Appends a record that has no sequence number yet.
  mutating func append(_ record: PendingRecord) {
    records.append(record)
    bytes += record.size
    count(record, 1)
  }

  /// The records for the next commit: all records that are not in flight to any sink.
  var movable: [PendingRecord] { records.filter(Self.isMovable) }

  /// Whether ``movable`` is not empty.
  var hasMovable: Bool {
    uncountedRecords > 0 || !records.isEmpty && records.contains(where: Self.isMovable)
  }

  private static func isMovable(_ record: PendingRecord) -> Bool { record.number == 0 || record.handedOut == 0 }

  /// Removes the records of ``movable``, because they were committed. If no record is left, a new memory epoch begins.
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

  /// Gives sequence numbers of the memory epoch to records that were lost before they reached the spool, and returns
  /// the loss.
  mutating func skip(_ count: UInt64, reason: GapRecord.Reason) -> Loss {
    defer { last += count }
    return Loss(reason, epoch: epoch, sequences: (last + 1)...(last + count), count: count)
  }

  // MARK: Sinks

  /// Adds to a batch those records of a lane that the sink has not acknowledged.
  ///
  /// - Parameters:
  ///   - givesNumbers: whether records without a number are delivered, too, and get a number.
  ///   - wall: the date at the start of the boot, as it is known now. It is used for records that were not delivered
  ///     yet.
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

  /// Appends records to a batch for a follower: those that were delivered to at least one sink and come after `place`.
  /// Records without a number are left out.
  mutating func show(behind place: inout UInt64, _ limit: RecordBatch.Limit, into batch: inout RecordBatch) {
    // Numbers are ascending within each lane, but not across both lanes.
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

  /// Returns the time of the oldest record that a sink has not acknowledged, ns since boot; `nil` if there is none.
  func oldestTime(lackedBy sink: Int) -> Int64? {
    let bit: UInt32 = 1 << UInt32(sink)
    return records.lazy.filter { $0.acknowledged & bit == 0 }.map(\.time).min()
  }

  /// Acknowledges the records that are in flight to a sink and whose numbers are in `range`.
  ///
  /// - Parameter sinks: number of configured sinks. A record that all sinks have acknowledged is removed.
  /// - Returns: row numbers of the losses that the removed records reported.
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

  /// Schedules another delivery of the records that are in flight to a sink and whose numbers are in `range`.
  ///
  /// - Parameter sentNothing: whether the sink has sent no byte of these records.
  mutating func requeue(_ range: ClosedRange<UInt64>, sink: Int, sentNothing: Bool) {
    let bit: UInt32 = 1 << UInt32(sink)
    for index in records.indices where range.contains(records[index].number) && records[index].handedOut & bit != 0 {
      records[index].handedOut &= ~bit
      if !sentNothing { records[index].hasLeft = true }
    }
  }

  // MARK: Room

  /// If the records take more than `limit` bytes, drops the oldest telemetry and then the oldest events, until they
  /// take at most 7/8 of `limit`.
  ///
  /// - Returns: the losses that result.
  mutating func enforceLimit(_ limit: Int, sinks: [String]) -> [Loss] {
    guard bytes > limit else { return [] }
    // Drop more records than necessary. This makes a few large gaps instead of one gap for each record.
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

  /// Merges a loss with the loss that a waiting `gap` record reports, and removes that `gap` record. Without this,
  /// `gap` records would fill the memory after some time.
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
