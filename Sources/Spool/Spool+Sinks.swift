import Telemetry

extension Spool {
  /// Fills a batch with what a sink is to get next: events, then the newest record of the telemetry, then the backlog,
  /// the oldest first. What was handed out and is not acknowledged is not handed out again before it is given back.
  ///
  /// - Parameters:
  ///   - sink: index in ``SpoolOptions/sinks``.
  ///   - batch: gets the records; empty where there is nothing.
  public mutating func nextBatch(
    for sink: Int, limit: RecordBatch.Limit = RecordBatch.Limit(), at now: Int64, into batch: inout RecordBatch
  ) {
    self.now = max(self.now, now)
    batch.clear()
    // What is known of the clock has to be durable before a record says it.
    if state == .durable, file?.hasNewClock == true { commit() }
    let before = generation
    fill(&batch, sink, limit)
    // A damaged file was found on the way: its records are in another now.
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
    // While the file takes nothing, its newest record is not the newest there is.
    let request = SpoolFile.Request(
      sink: progress[sink], limit: limit, source: .file(generation), newestFirst: state == .durable)
    let known = file.damaged.count
    do throws(SQLiteError) {
      let hasRoom = try file.fill(&batch, request, lane)
      for found in file.damaged.dropFirst(known) {
        news.append(.damagedRecord(path: path, sequence: found.sequence))
        // No sink is handed it; the next commit removes it.
        for sink in progress {
          sink.lanes[found.lane.rawValue].skip(found.sequence...found.sequence)
          sink.hasNewAcknowledgements = true
        }
      }
      return hasRoom
    } catch {
      // Nothing is handed out of a file that may be no more: what the batch has is handed out the next time.
      for (range, source) in batch.ranges { giveBack(range, in: source, by: sink, sentNothing: true) }
      batch.clear()
      fail(error)
      return false
    }
  }

  /// A sink has, for good, those of the range that it was handed. It is durable with the next commit; a crash before
  /// that gives a resend.
  public mutating func acknowledge(_ range: ClosedRange<UInt64>, in source: RecordBatch.Source, by sink: Int) {
    switch source {
    case .memory(memory.generation): settled += memory.acknowledge(range, sink: sink, of: options.sinks.count)
    case .file(generation): progress[sink].acknowledge(range)
    // Of a file that was set aside, of an epoch that is over.
    case .file, .memory: break
    }
  }

  /// A sink has all records of a batch for good.
  public mutating func acknowledge(_ batch: borrowing RecordBatch, by sink: Int) {
    for (range, source) in batch.ranges { acknowledge(range, in: source, by: sink) }
  }

  /// A sink has returned a batch: some of its records it has for good, the others are handed to it once more.
  ///
  /// - Parameters:
  ///   - acknowledged: by the index of the batch's records.
  ///   - sentNothing: of the others nothing has left, not even in part: what is learned of the clock until they are
  ///     handed out anew holds for them.
  public mutating func settle(
    _ batch: borrowing RecordBatch, acknowledged: [Range<Int>], sentNothing: Bool = false, by sink: Int
  ) {
    for records in acknowledged {
      for (range, source) in batch.ranges(of: records) { acknowledge(range, in: source, by: sink) }
    }
    // What is acknowledged is handed out no more, so that only the others come back.
    for (range, source) in batch.ranges { giveBack(range, in: source, by: sink, sentNothing: sentNothing) }
  }

  /// A sink does not have those of the range that it was handed: they are handed to it once more.
  ///
  /// - Parameter sentNothing: as ``settle(_:acknowledged:sentNothing:by:)`` has it.
  public mutating func giveBack(
    _ range: ClosedRange<UInt64>, in source: RecordBatch.Source, by sink: Int, sentNothing: Bool = false
  ) {
    switch source {
    case .memory(memory.generation): memory.giveBack(range, sink: sink, sentNothing: sentNothing)
    case .file(generation): progress[sink].giveBack(range, sentNothing: sentNothing)
    case .file, .memory: break
    }
  }

  /// A sink has lost its connection: whatever it was handed and did not acknowledge is handed to it once more.
  public mutating func giveBack(by sink: Int) {
    progress[sink].giveBack()
    memory.giveBack(0...UInt64.max, sink: sink, sentNothing: false)
  }
}

extension RecordBatch {
  /// Its records as ranges, each of one source.
  var ranges: [(ClosedRange<UInt64>, Source)] { ranges(of: records.indices) }

  /// Some of its records as ranges, each of one source.
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
