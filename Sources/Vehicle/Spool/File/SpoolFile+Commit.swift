import Telemetry

extension SpoolFile {
  /// Limits for the records in the file.
  struct Bounds {
    /// Maximum number of bytes that the database uses.
    var bytes: Int64
    /// Maximum age of a record, ns; `.max` for no limit.
    var age: Int64
    /// The current time, ns since boot.
    var now: Int64
  }

  /// Values that a transaction changes. ``SpoolFile`` stores them in its own properties only after the commit has
  /// succeeded.
  struct Draft {
    var last: UInt64
    var counts: [Int64]
    var unreported: [Loss]
    var packing: PackingPlan
    /// For each lane, the highest sequence number that was dropped; 0 if none was.
    var dropped: [UInt64] = [0, 0]
  }

  /// Commits one transaction. It contains the new records, the sinks' acknowledgements, the removal of records that
  /// exceed the limits, and the losses that result from the removal.
  ///
  /// - Parameters:
  ///   - records: the new records. They get consecutive sequence numbers in this order, after ``last`` and the numbers
  ///     for `unnumbered`.
  ///   - unreported: losses that no record reports yet. Losses that result from this commit are appended.
  ///   - reportedRows: row numbers of losses whose `gap` records were delivered from memory. These rows are removed.
  ///   - notes: named values of the caller, which are stored in the same transaction.
  ///   - unnumbered: for each reason, the count of records that were lost before they had sequence numbers. They get
  ///     the sequence numbers directly after ``last``.
  func commit(
    _ records: [PendingRecord], sinks: [SinkProgress], unreported: inout [Loss], reportedRows: [Int64], bounds: Bounds,
    notes: [(name: String, value: [UInt8])] = [], unnumbered: [GapRecord.Reason: UInt64] = [:]
  ) throws(SQLiteError) {
    var draft = Draft(last: last, counts: counts, unreported: unreported, packing: packing)
    let reserve = nextReserve(after: records.count)
    try transaction { () throws(SQLiteError) in
      if !unnumbered.isEmpty { try number(unnumbered, &draft) }
      for record in records { try store(record, &draft) }
      try storeNotes(notes)
      for row in reportedRows {
        try connection.execute("DELETE FROM loss WHERE number = \(row)", "remove a reported loss")
      }
      if hasNewClock { try storeClock() }
      try removeDamaged(sinks, &draft)
      try removeAcknowledged(sinks, &draft)
      try enforceLimit(bounds, sinks, &draft)
      try storeProgress(sinks, draft)
      try storeUnreported(&draft)
      try setState(last: draft.last, reserved: draft.last + reserve, clean: false, draft.counts)
    }
    last = draft.last
    reserved = last + reserve
    counts = draft.counts
    unreported = draft.unreported
    packing = draft.packing
    if hasNewClock { committedClock = clock.entries[boot] ?? [] }
    hasNewClock = false
    damaged = []
    for sink in sinks {
      for lane in Lane.allCases where draft.dropped[lane.rawValue] > 0 {
        sink.lanes[lane.rawValue].skip(0...draft.dropped[lane.rawValue])
      }
      sink.forgetStamps(upTo: min(sink.lanes[0].cursor, sink.lanes[1].cursor))
      sink.hasNewAcknowledgements = false
      sink.hasNewStamps = false
    }
  }

  private func store(_ record: PendingRecord, _ draft: inout Draft) throws(SQLiteError) {
    let sequence = draft.last + 1
    let type = record.line.type.rawValue
    let boot = record.boot == 0 ? boot : record.boot
    let sum = Self.sum(record.line.bytes.span, sequence: sequence, boot: boot, time: record.time, type: type)
    // Events are rare and differ from each other. Their compression would save little.
    let isPacked = record.lane == .telemetry
    let kept = isPacked ? try pack(record.line.bytes, sequence: sequence, &draft) : PackedLine(bytes: record.line.bytes)
    try with(record.lane) { lane throws(SQLiteError) in
      lane.insert.bind(sequence, at: 1)
      lane.insert.bind(boot, at: 2)
      lane.insert.bind(record.time, at: 3)
      lane.insert.bind(Int64(type), at: 4)
      lane.insert.bind(sum, at: 5)
      // Unbound parameters are NULL.
      if let base = kept.base { lane.insert.bind(base, at: 7) }
      try lane.insert.run(kept.bytes, at: 6)
    }
    draft.last = sequence
    draft.counts[record.lane.rawValue] += 1
    if let loss = record.explains { try markReported(loss, by: sequence) }
  }

  private func storeClock() throws(SQLiteError) {
    let known = clock.entries[boot] ?? []
    // When the clock steps, one entry is added, and another may be removed. All other entries stay unchanged.
    for entry in committedClock where !known.contains(entry) {
      try connection.execute("DELETE FROM clock WHERE boot = \(boot) AND since = \(entry.since)", "store the clock")
    }
    for entry in known where !committedClock.contains(entry) { try insert(entry, boot: boot) }
  }

  /// Stores a clock entry of a boot.
  func insert(_ entry: ClockHistory.Entry, boot: Int64) throws(SQLiteError) {
    try connection.execute(
      "INSERT INTO clock VALUES (\(boot), \(entry.since), \(entry.wall.quality.rawValue), \(entry.wall.offset))",
      "store the clock")
  }

  /// Stores which records each sink has acknowledged, and the dates with which records were sent to the sinks (stamps).
  private func storeProgress(_ sinks: [SinkProgress], _ draft: Draft) throws(SQLiteError) {
    for sink in sinks {
      let hasDropped = draft.dropped != [0, 0]
      if sink.hasNewAcknowledgements || hasDropped {
        statements.clearAcknowledged.bind(sink.row, at: 1)
        try statements.clearAcknowledged.run()
        for lane in Lane.allCases {
          var known = sink.lanes[lane.rawValue].acknowledged
          known.insert(0...draft.dropped[lane.rawValue])
          for range in known.ranges { try insert(range, of: sink, lane) }
        }
      }
      guard sink.hasNewStamps else { continue }
      statements.clearStamps.bind(sink.row, at: 1)
      try statements.clearStamps.run()
      for stamp in sink.stamps {
        for range in stamp.sequences.ranges { try insert(range, of: sink, stamp.wall) }
      }
    }
  }

  private func insert(_ range: ClosedRange<UInt64>, of sink: SinkProgress, _ lane: Lane) throws(SQLiteError) {
    statements.addAcknowledged.bind(sink.row, at: 1)
    statements.addAcknowledged.bind(Int64(lane.rawValue), at: 2)
    statements.addAcknowledged.bind(range.lowerBound, at: 3)
    statements.addAcknowledged.bind(range.upperBound, at: 4)
    try statements.addAcknowledged.run()
  }

  private func insert(_ range: ClosedRange<UInt64>, of sink: SinkProgress, _ wall: WallTime) throws(SQLiteError) {
    statements.addStamp.bind(sink.row, at: 1)
    statements.addStamp.bind(range.lowerBound, at: 2)
    statements.addStamp.bind(range.upperBound, at: 3)
    statements.addStamp.bind(Int64(wall.quality.rawValue), at: 4)
    statements.addStamp.bind(wall.offset, at: 5)
    try statements.addStamp.run()
  }
}
