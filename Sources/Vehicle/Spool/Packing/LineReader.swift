import Telemetry

/// Reads the text lines of records from rows of the spool's database, whether they are compressed or not.
struct LineReader: ~Copyable {
  /// Maximum number of base lines that are kept in memory. Four are needed if the newest record is delivered before a
  /// backlog. The file is then read alternately at two positions, and at each position, two kinds of lines with
  /// different base lines may alternate.
  private static let capacity = 4

  private var packer: LinePacker?
  /// The base lines that are kept in memory, least recently used first.
  private var bases: [PackingBase] = []

  /// Calls `body` with the line of a row, after decompressing it if necessary.
  ///
  /// - Parameters:
  ///   - row: contains the line and, in the next column, the row number of its base line.
  ///   - column: the column of the line.
  /// - Returns: the result of `body`; `nil` if the line or its base line is damaged.
  /// - Throws: ``SQLiteError`` if the file cannot be read, or if libzstd is needed but not installed. A missing libzstd
  ///   does not mean that the records are damaged.
  mutating func withLine<Result>(
    of row: borrowing SQLiteStatement, at column: Int32, _ connection: borrowing SQLiteConnection,
    _ body: (Span<UInt8>) -> Result
  ) throws(SQLiteError) -> Result? {
    guard !row.isNull(column + 1) else { return row.withBytes(column) { body($0) } }
    if packer == nil { packer = LinePacker() }
    guard let packer else {
      throw SQLiteError(
        .system, "read records", "libzstd.so.1, with which the records are compressed, is not installed")
    }
    guard let base = try base(row.number(column + 1), connection) else { return nil }
    return row.withBytes(column) { frame in packer.withUnpacked(frame, against: base, body) }
  }

  /// Returns the base line with this row number; `nil` if it is missing or damaged.
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
      var sum = CRC32()
      sum.update(line)
      return Int64(sum.value) == row.number(0) ? PackingBase(number: number, line) : nil
    }
    guard let base else { return nil }
    if bases.count == Self.capacity { bases.removeFirst() }
    bases.append(base)
    return base
  }
}
