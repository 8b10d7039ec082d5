import Telemetry

/// Reads the lines of rows, packed or not.
struct LineReader: ~Copyable {
  /// Two bases are in use at once where the newest record goes before a backlog; another two are for lines of two forms.
  private static let capacity = 4

  private var packer: LinePacker?
  /// Those used last, the latest at the end.
  private var bases: [PackingBase] = []

  /// Calls `body` with the line of a row.
  ///
  /// - Parameters:
  ///   - row: has the line, and behind it the number of its base.
  ///   - column: the line's.
  /// - Returns: nil, and `body` is not called: what was kept is no line any more, itself damaged or packed against one that
  ///   is.
  /// - Throws: where the file cannot be read, or there is no library to unpack with: the records are whole, and stay.
  mutating func withLine<Result>(
    of row: borrowing SQLiteStatement, at column: Int32, _ connection: borrowing SQLiteConnection,
    _ body: (Span<UInt8>) -> Result
  ) throws(SQLiteError) -> Result? {
    guard !row.isNull(column + 1) else { return row.withBytes(column) { body($0) } }
    if packer == nil { packer = LinePacker() }
    guard let packer else {
      throw SQLiteError(.system, "read records", "libzstd.so.1 is not installed, and they were packed with it")
    }
    guard let base = try base(row.number(column + 1), connection) else { return nil }
    return row.withBytes(column) { frame in packer.withUnpacked(frame, against: base, body) }
  }

  /// A base by its number; nil: it is not in the file, or not as it was written.
  private mutating func base(
    _ number: Int64, _ connection: borrowing SQLiteConnection
  ) throws(SQLiteError) -> PackingBase? {
    if let index = bases.firstIndex(where: { $0.number == number }) {
      let base = bases.remove(at: index)
      bases.append(base)
      return base
    }
    var row = try SQLiteStatement(connection, "SELECT sum, line FROM base WHERE number = ?1", "read records")
    row.bind(number, at: 1)
    guard try row.next() else { return nil }
    let base = row.withBytes(1) { line in
      var sum = Checksum()
      sum.update(line)
      return Int64(sum.value) == row.number(0) ? PackingBase(number: number, line) : nil
    }
    guard let base else { return nil }
    if bases.count == Self.capacity { bases.removeFirst() }
    bases.append(base)
    return base
  }
}
