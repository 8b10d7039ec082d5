import Telemetry

extension SpoolFile {
  /// Stores a loss that no `gap` record reports yet. If it can be merged with another such loss, one row contains both.
  func add(_ loss: Loss, _ draft: inout Draft) throws(SQLiteError) {
    for index in draft.unreported.indices where draft.unreported[index].row != 0 && draft.unreported[index].merge(loss)
    {
      try write(draft.unreported[index], over: draft.unreported[index].row, told: nil)
      return
    }
    var added = loss
    added.row = try write(loss, over: nil, told: nil)
    draft.unreported.append(added)
  }

  /// Stores the losses that have no row in the file yet, so that they survive a crash.
  func storeUnreported(_ draft: inout Draft) throws(SQLiteError) {
    for index in draft.unreported.indices where draft.unreported[index].row == 0 {
      draft.unreported[index].row = try write(draft.unreported[index], over: nil, told: nil)
    }
  }

  /// Stores the sequence number of the record that reports a loss. The row of the loss is kept until that record is
  /// removed.
  func markReported(_ loss: Loss, by sequence: UInt64) throws(SQLiteError) {
    try write(loss, over: loss.row == 0 ? nil : loss.row, told: sequence)
  }

  /// Removes the losses that were reported by records in a range. Call this when every sink has acknowledged these
  /// records.
  func removeReported(_ range: ClosedRange<UInt64>) throws(SQLiteError) {
    try connection.execute(
      "DELETE FROM loss WHERE told BETWEEN \(range.lowerBound) AND \(min(range.upperBound, UInt64(Int64.max)))",
      "forget losses")
  }

  /// Marks losses as unreported again. Call this if the records in the range, which reported these losses, were
  /// dropped.
  func markUnreported(_ range: ClosedRange<UInt64>, _ draft: inout Draft) throws(SQLiteError) {
    let told = try SpoolOpening.losses(connection, where: "told BETWEEN \(range.lowerBound) AND \(range.upperBound)")
    guard !told.isEmpty else { return }
    try removeReported(range)
    for loss in told { try add(loss, &draft) }
  }

  @discardableResult
  private func write(_ loss: Loss, over row: Int64?, told: UInt64?) throws(SQLiteError) -> Int64 {
    var statement = try SQLiteStatement(
      connection,
      """
      INSERT OR REPLACE INTO loss
        VALUES (?1, ?2, nullif(?3, ''), nullif(?4, 0), nullif(?5, 0), ?6, ?7, nullif(?8, ''), ?9) RETURNING number
      """, "store a loss")
    if let row { statement.bind(row, at: 1) }
    statement.bind(Int64(loss.reason.rawValue), at: 2)
    statement.bind(loss.epoch?.string ?? "", at: 3)
    statement.bind(loss.sequences?.lowerBound ?? 0, at: 4)
    statement.bind(loss.sequences?.upperBound ?? 0, at: 5)
    if let count = loss.count { statement.bind(count, at: 6) }
    statement.bind(loss.types.reduce(0 as UInt64) { $0 | 1 << UInt64($1.rawValue) }, at: 7)
    statement.bind(loss.sink ?? "", at: 8)
    if let told { statement.bind(told, at: 9) }
    guard try statement.next() else { throw SQLiteError(.system, "store a loss", "no row was written") }
    let number = statement.number(0)
    _ = try statement.next()
    return number
  }
}
