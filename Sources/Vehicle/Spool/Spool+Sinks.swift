import Telemetry

extension Spool {
  /// Fills a batch with the next records for a sink: first events, then the newest telemetry record, then all other
  /// telemetry in ascending order.
  ///
  /// A record in a batch is not delivered to the same sink again, unless the sink reports that it was not sent.
  ///
  /// - Parameters:
  ///   - sink: the sink's index in ``SpoolOptions/sinks``.
  ///   - now: the current time, ns since boot.
  ///   - batch: the batch to fill, which is cleared first. It stays empty if no record is waiting.
  public mutating func nextBatch(
    for sink: Int, limit: RecordBatch.Limit = RecordBatch.Limit(), at now: Int64, into batch: inout RecordBatch
  ) {
    self.now = max(self.now, now)
    batch.clear()
    // A new date must be durable before it is delivered in a record.
    if state == .durable, file?.hasNewClock == true { commit() }
    let before = generation
    fill(&batch, sink, limit)
    // If the file was found to be damaged, its records are now in a new file.
    if generation != before { fill(&batch, sink, limit) }
    if state == .durable, progress[sink].hasNewStamps { commit() }
  }

  private mutating func fill(_ batch: inout RecordBatch, _ sink: Int, _ limit: RecordBatch.Limit) {
    let isDurable = state == .durable
    let wall = file.map { $0.clock.latest(boot: $0.boot) } ?? self.wall
    var hasRoom = true
    for lane in Lane.allCases where hasRoom {
      hasRoom = memory.fill(&batch, sink: sink, lane, limit, givesNumbers: !isDurable, wall: wall)
      if hasRoom, let file { hasRoom = fill(&batch, from: file, sink, lane, limit) }
    }
  }

  private mutating func fill(
    _ batch: inout RecordBatch, from file: SpoolFile, _ sink: Int, _ lane: Lane, _ limit: RecordBatch.Limit
  ) -> Bool {
    // If the file cannot be written, the newest record is in memory, so the order in the file is ascending.
    let request = SpoolFile.Request(
      sink: progress[sink], limit: limit, source: .file(generation), newestFirst: state == .durable)
    let known = file.damaged.count
    do throws(SQLiteError) {
      let hasRoom = try file.fill(&batch, request, lane)
      for found in file.damaged.dropFirst(known) {
        pendingEvents.append(.damagedRecord(path: path, sequence: found.sequence))
        // A damaged record is never delivered. The next commit removes it.
        for sink in progress {
          sink.lanes[found.lane.rawValue].skip(found.sequence...found.sequence)
          sink.hasNewAcknowledgements = true
        }
      }
      return hasRoom
    } catch {
      // The file may be unusable, so nothing that was read from it is delivered. The records in the batch are delivered
      // the next time.
      for (range, source) in batch.ranges { requeue(range, in: source, by: sink, sentNothing: true) }
      batch.clear()
      fail(error)
      return false
    }
  }

  /// Records that a sink has acknowledged the records in `range`. Has no effect on records that were not delivered to
  /// this sink. The acknowledgement is durable after the next commit. If there is a crash before that, the records are
  /// delivered again.
  ///
  /// - Parameters:
  ///   - range: the sequence numbers of the records.
  ///   - source: the file or memory epoch in which the records are stored. If it no longer exists, the call has no
  ///     effect.
  ///   - sink: the sink's index in ``SpoolOptions/sinks``.
  public mutating func acknowledge(_ range: ClosedRange<UInt64>, in source: RecordBatch.Source, by sink: Int) {
    switch source {
    case .memory(memory.generation): reportedRows += memory.acknowledge(range, sink: sink, of: options.sinks.count)
    case .file(generation): progress[sink].acknowledge(range)
    // The number belongs to a file that was replaced, or to a memory epoch that has ended.
    case .file, .memory: break
    }
  }

  /// Marks all records of a batch as acknowledged by a sink.
  ///
  /// - Parameter sink: the sink's index in ``SpoolOptions/sinks``.
  public mutating func acknowledge(_ batch: borrowing RecordBatch, by sink: Int) {
    for (range, source) in batch.ranges { acknowledge(range, in: source, by: sink) }
  }

  /// Handles the result of sending a batch: some of its records are acknowledged, and all others are delivered again
  /// later.
  ///
  /// - Parameters:
  ///   - acknowledged: the acknowledged records, as ranges of indices in the batch's ``RecordBatch/records``.
  ///   - sentNothing: whether the sink has sent no byte of the other records. If `true`, they may get a more accurate
  ///     date when they are delivered again.
  public mutating func complete(
    _ batch: borrowing RecordBatch, acknowledged: [Range<Int>], sentNothing: Bool = false, by sink: Int
  ) {
    for records in acknowledged {
      for (range, source) in batch.ranges(of: records) { acknowledge(range, in: source, by: sink) }
    }
    // Acknowledged records are not in flight any more, so that only the others are delivered again.
    for (range, source) in batch.ranges { requeue(range, in: source, by: sink, sentNothing: sentNothing) }
  }

  /// Schedules another delivery of the records in `range` that were delivered to a sink and not acknowledged.
  ///
  /// - Parameter sentNothing: see ``complete(_:acknowledged:sentNothing:by:)``.
  public mutating func requeue(
    _ range: ClosedRange<UInt64>, in source: RecordBatch.Source, by sink: Int, sentNothing: Bool = false
  ) {
    switch source {
    case .memory(memory.generation): memory.requeue(range, sink: sink, sentNothing: sentNothing)
    case .file(generation): progress[sink].requeue(range, sentNothing: sentNothing)
    case .file, .memory: break
    }
  }

  /// Schedules another delivery of all records that are in flight to a sink. Call this if the sink's connection was
  /// lost.
  ///
  /// - Parameter sink: the sink's index in ``SpoolOptions/sinks``.
  public mutating func requeue(by sink: Int) {
    progress[sink].requeue()
    memory.requeue(0...UInt64.max, sink: sink, sentNothing: false)
  }
}

extension RecordBatch {
  /// The sequence numbers of the batch's records as ranges. All records of a range are stored at the same source.
  var ranges: [(ClosedRange<UInt64>, Source)] { ranges(of: records.indices) }

  /// The sequence numbers of the records at these indices, as ranges. All records of a range are stored at the same
  /// source.
  func ranges(of indices: Range<Int>) -> [(ClosedRange<UInt64>, Source)] {
    var sets: [(set: SequenceSet, source: Source)] = []
    for record in records[indices] {
      let number = record.number.sequence
      if let index = sets.firstIndex(where: { $0.source == record.number.source }) {
        sets[index].set.insert(number...number)
      } else {
        sets.append((SequenceSet(number...number), record.number.source))
      }
    }
    return sets.flatMap { entry in entry.set.ranges.map { ($0, entry.source) } }
  }
}
