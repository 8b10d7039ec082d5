import Telemetry

extension SpoolFile {
  /// The parameters of a read for one sink.
  struct Request {
    let sink: SinkProgress
    let limit: RecordBatch.Limit
    let source: RecordBatch.Source
    /// Whether the newest telemetry record is delivered before older ones.
    let newestFirst: Bool
  }

  /// The columns of a record's row, except the column with the record's line.
  private struct Row {
    let sequence: UInt64
    let boot: Int64
    let time: Int64
    /// The record's type; `nil` if the row has an unknown type.
    let type: RecordType?
    let sum: Int64

    init(_ row: borrowing SQLiteStatement) {
      sequence = row.unsigned(0)
      boot = row.number(1)
      time = row.number(2)
      type = UInt8(exactly: row.number(3)).flatMap { RecordType(rawValue: $0) }
      sum = row.number(4)
    }
  }

  /// The result of adding a record to a batch.
  private enum Outcome { case taken, full, damaged }
  /// The reason why reading has stopped: the lane has ended (`end`), the batch is full (`full`), or the sink has
  /// acknowledged the next record or it is in flight to the sink (`taken`).
  private enum Stop { case end, full, taken }

  /// Maximum number of ranges of sequence numbers that one sink has acknowledged. If there are more ranges, the newest
  /// record is not delivered first, because its number would become another range. Each range needs memory and a row.
  private static let mostRanges = 4_096

  /// Appends the records of a lane that a sink has not acknowledged: first the newest telemetry record, then all others
  /// in ascending order. If the batch has room for all these records, the newest record is moved to the end, so that
  /// all telemetry is in ascending order.
  ///
  /// - Returns: `false` if the batch is full.
  @discardableResult
  func fill(_ batch: inout RecordBatch, _ request: Request, _ lane: Lane) throws(SQLiteError) -> Bool {
    guard batch.records.count < max(request.limit.records, 1) else { return false }
    guard lane == .telemetry, request.newestFirst else { return try readInTurn(&batch, request, lane) }
    let place = batch.records.count
    let hasNewest = try readNewest(&batch, request)
    let hasAll = try readInTurn(&batch, request, lane)
    if hasAll, hasNewest, batch.records.count > place + 1 { batch.moveToEnd(place) }
    return hasAll
  }

  private func readInTurn(
    _ batch: inout RecordBatch, _ request: Request, _ lane: Lane
  ) throws(SQLiteError) -> Bool {
    var position = request.sink.lanes[lane.rawValue].taken(behind: 0)
    while true {
      switch try readRun(&batch, request, lane, from: &position) {
      case .end: return true
      case .full: return false
      // Continue after the records that were acknowledged or are in flight.
      case .taken: continue
      }
    }
  }

  /// Reads consecutive records. Stops before a record that was acknowledged or is in flight, when the batch is full, or
  /// at the end of the lane.
  private func readRun(
    _ batch: inout RecordBatch, _ request: Request, _ lane: Lane, from position: inout UInt64
  ) throws(SQLiteError) -> Stop {
    let sink = request.sink
    try with(lane) { lane in lane.read.bind(position, at: 1) }
    defer { reset(lane) }
    while true {
      guard let row = try nextRow(lane) else { return .end }
      // A number that does not increase is damaged. Without this check, the same row could be read for ever.
      guard row.sequence > position else { throw SQLiteError(.damaged, "read records", "numbers out of order") }
      if sink.lanes[lane.rawValue].isTaken(row.sequence) {
        position = sink.lanes[lane.rawValue].taken(behind: row.sequence - 1)
        return .taken
      }
      guard batch.records.count < request.limit.records || batch.isEmpty else { return .full }
      switch try append(row, lane, into: &batch, request) {
      case .full: return .full
      case .damaged: damaged.append((lane, row.sequence))
      case .taken: sink.lanes[lane.rawValue].deliver(row.sequence, previous: position)
      }
      position = row.sequence
    }
  }

  /// Appends the newest telemetry record, unless the sink has acknowledged it or it is in flight.
  ///
  /// - Returns: whether a record was appended.
  private func readNewest(_ batch: inout RecordBatch, _ request: Request) throws(SQLiteError) -> Bool {
    let progress = request.sink.lanes[Lane.telemetry.rawValue]
    let newest = try before(.max, in: .telemetry)
    guard newest > 0, !progress.isTaken(newest), progress.acknowledged.ranges.count < Self.mostRanges else {
      return false
    }
    let previous = try before(newest, in: .telemetry)
    try with(.telemetry) { lane in lane.read.bind(newest - 1, at: 1) }
    defer { reset(.telemetry) }
    guard let row = try nextRow(.telemetry) else { return false }
    guard try append(row, .telemetry, into: &batch, request) == .taken else { return false }
    request.sink.lanes[Lane.telemetry.rawValue].deliver(newest, previous: previous)
    return true
  }

  /// Returns the highest sequence number in the lane that is below `sequence`; 0 if there is none.
  private func before(_ sequence: UInt64, in lane: Lane) throws(SQLiteError) -> UInt64 {
    try with(lane) { lane throws(SQLiteError) in
      lane.before.bind(min(sequence, UInt64(Int64.max)), at: 1)
      return UInt64(bitPattern: try lane.before.onlyNumber())
    }
  }

  private func nextRow(_ lane: Lane) throws(SQLiteError) -> Row? {
    try with(lane) { lane throws(SQLiteError) in try lane.read.next() ? Row(lane.read) : nil }
  }

  private func reset(_ lane: Lane) {
    switch lane {
    case .events: statements.events.read.reset()
    case .telemetry: statements.telemetry.read.reset()
    }
  }

  /// Appends the record of a row to the batch. If the date of the record may still be corrected, the date is stored as
  /// a stamp, so that the record is identical if it is sent again.
  private func append(
    _ row: Row, _ lane: Lane, into batch: inout RecordBatch, _ request: Request
  ) throws(SQLiteError) -> Outcome {
    let known = request.sink.stamp(of: row.sequence)
    let wall = known ?? clock.wall(boot: row.boot, time: row.time)
    let outcome = try write(row, lane, wall, into: &batch, request.limit, request.source)
    // The date may still be corrected. Store it, so that the record is identical if it is sent again.
    if outcome == .taken, known == nil, row.boot == boot, !wall.isFinal { request.sink.stamp(row.sequence, wall) }
    return outcome
  }

  private func write(
    _ row: Row, _ lane: Lane, _ wall: WallTime, into batch: inout RecordBatch, _ limit: RecordBatch.Limit,
    _ source: RecordBatch.Source
  ) throws(SQLiteError) -> Outcome {
    guard let type = row.type else { return .damaged }
    let start = batch.bytes.count
    let isSound = try with(lane) { lane throws(SQLiteError) in
      try reader.withLine(of: lane.read, at: 5, connection) { line in
        let sum = Self.sum(line, sequence: row.sequence, boot: row.boot, time: row.time, type: type.rawValue)
        guard sum == row.sum else { return false }
        renderer.write(
          line, epoch: epoch, sequence: row.sequence, time: row.time, wall: wall, to: &batch.bytes)
        return true
      }
    }
    guard isSound == true else { return .damaged }
    return batch.append(RecordBatch.Number(row.sequence, in: source), type, from: start, limit) ? .taken : .full
  }

  // MARK: Followers

  /// Appends records of both lanes (events and telemetry) to a batch for a follower, in ascending order. They are not
  /// marked as delivered. Damaged records are skipped, because delivery to the sinks reports them.
  ///
  /// - Parameters:
  ///   - place: the sequence number after which to read. It is set to the last number that was read.
  ///   - seen: sequence numbers of records that the follower has already received. They are skipped.
  func show(
    behind place: inout UInt64, limit: RecordBatch.Limit, _ source: RecordBatch.Source, passing seen: SequenceSet,
    into batch: inout RecordBatch
  ) throws(SQLiteError) {
    let behind = place
    for lane in Lane.allCases { try with(lane) { lane throws(SQLiteError) in lane.read.bind(behind, at: 1) } }
    defer { for lane in Lane.allCases { reset(lane) } }
    var rows = (events: try nextRow(.events), telemetry: try nextRow(.telemetry))
    while true {
      let isEvent = (rows.events?.sequence ?? .max) < (rows.telemetry?.sequence ?? .max)
      let lane = isEvent ? Lane.events : .telemetry
      guard let row = isEvent ? rows.events : rows.telemetry, row.sequence > place else { return }
      let wall = clock.wall(boot: row.boot, time: row.time)
      if !seen.contains(row.sequence), try write(row, lane, wall, into: &batch, limit, source) == .full { return }
      place = row.sequence
      if isEvent { rows.events = try nextRow(.events) } else { rows.telemetry = try nextRow(.telemetry) }
    }
  }

  // MARK: Status

  /// Returns the age of the oldest record that a sink has not acknowledged, ns; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - sink: the sink; `nil` to return the age of the oldest record in the file.
  ///   - now: the current time, ns since boot.
  func oldestAge(lackedBy sink: SinkProgress?, at now: Int64) throws(SQLiteError) -> Int64? {
    var oldest: Int64?
    for lane in Lane.allCases {
      let cursor = sink?.lanes[lane.rawValue].cursor ?? 0
      try with(lane) { lane throws(SQLiteError) in lane.read.bind(cursor, at: 1) }
      defer { reset(lane) }
      // Skip records that were acknowledged before older records. Usually, there is at most one.
      var next = try nextRow(lane)
      while let row = next, sink?.lanes[lane.rawValue].acknowledged.contains(row.sequence) ?? false {
        next = try nextRow(lane)
      }
      guard let row = next else { continue }
      oldest = max(oldest ?? .min, age(boot: row.boot, time: row.time, now: now))
    }
    return oldest
  }
}
