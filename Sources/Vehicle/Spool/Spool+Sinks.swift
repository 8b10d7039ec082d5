import Telemetry

extension Spool {
  /// Fills a batch with the next records for a sink: events, then the newest telemetry record, then the backlog in
  /// ascending order.
  ///
  /// A record that was delivered is not delivered again until the sink gives it back.
  ///
  /// - Parameters:
  ///   - sink: index in ``SpoolOptions/sinks``.
  ///   - now: boot time, ns.
  ///   - batch: cleared first; empty if no record waits.
  public mutating func nextBatch(
    for sink: Int, limit: RecordBatch.Limit = RecordBatch.Limit(), at now: Int64, into batch: inout RecordBatch
  ) {
    self.now = max(self.now, now)
    batch.clear()
    // The clock's state must be durable before a record carries it.
    if state == .durable, file?.hasNewClock == true { commit() }
    let before = generation
    fill(&batch, sink, limit)
    // The file was found damaged; its records are in the new file now.
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
    // While the file cannot be written, the newest record is in memory.
    let request = SpoolFile.Request(
      sink: progress[sink], limit: limit, source: .file(generation), newestFirst: state == .durable)
    let known = file.damaged.count
    do throws(SQLiteError) {
      let hasRoom = try file.fill(&batch, request, lane)
      for found in file.damaged.dropFirst(known) {
        pendingEvents.append(.damagedRecord(path: path, sequence: found.sequence))
        // No sink receives a damaged record; the next commit removes it.
        for sink in progress {
          sink.lanes[found.lane.rawValue].skip(found.sequence...found.sequence)
          sink.hasNewAcknowledgements = true
        }
      }
      return hasRoom
    } catch {
      // The file may be gone. Nothing read from it is delivered; the records in the batch are delivered the next time.
      for (range, source) in batch.ranges { requeue(range, in: source, by: sink, sentNothing: true) }
      batch.clear()
      fail(error)
      return false
    }
  }

  /// Records that a sink has received the records of a range that were delivered to it. The acknowledgement is durable
  /// with the next commit; a crash before that causes a resend.
  ///
  /// - Parameters:
  ///   - range: sequence numbers.
  ///   - source: where the records are stored. If that file or epoch no longer exists, the call has no effect.
  ///   - sink: index in ``SpoolOptions/sinks``.
  public mutating func acknowledge(_ range: ClosedRange<UInt64>, in source: RecordBatch.Source, by sink: Int) {
    switch source {
    case .memory(memory.generation): reportedRows += memory.acknowledge(range, sink: sink, of: options.sinks.count)
    case .file(generation): progress[sink].acknowledge(range)
    // The number belongs to a file that was replaced, or to a memory epoch that has ended.
    case .file, .memory: break
    }
  }

  /// Records that a sink has received all records of a batch.
  ///
  /// - Parameter sink: index in ``SpoolOptions/sinks``.
  public mutating func acknowledge(_ batch: borrowing RecordBatch, by sink: Int) {
    for (range, source) in batch.ranges { acknowledge(range, in: source, by: sink) }
  }

  /// Accepts a batch back from a sink: acknowledges some of its records and delivers the others again later.
  ///
  /// - Parameters:
  ///   - acknowledged: ranges of indices in the batch's ``RecordBatch/records``.
  ///   - sentNothing: whether no byte of the other records was sent. They can then receive a more accurate wall time.
  public mutating func complete(
    _ batch: borrowing RecordBatch, acknowledged: [Range<Int>], sentNothing: Bool = false, by sink: Int
  ) {
    for records in acknowledged {
      for (range, source) in batch.ranges(of: records) { acknowledge(range, in: source, by: sink) }
    }
    // Acknowledged records are no longer in flight, so this gives back only the others.
    for (range, source) in batch.ranges { requeue(range, in: source, by: sink, sentNothing: sentNothing) }
  }

  /// Marks records of a range that were delivered to a sink as not received; they are delivered again.
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

  /// Delivers every unacknowledged record to a sink again, after its connection was lost.
  ///
  /// - Parameter sink: index in ``SpoolOptions/sinks``.
  public mutating func requeue(by sink: Int) {
    progress[sink].requeue()
    memory.requeue(0...UInt64.max, sink: sink, sentNothing: false)
  }
}

extension RecordBatch {
  /// The numbers of its records as ranges, each of one source.
  var ranges: [(ClosedRange<UInt64>, Source)] { ranges(of: records.indices) }

  /// The numbers of the records at these indices as ranges, each of one source.
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
