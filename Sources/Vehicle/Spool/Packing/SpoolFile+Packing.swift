extension SpoolFile {
  /// A line in the form in which it is stored in a row.
  struct PackedLine {
    var bytes: [UInt8]
    /// Row number of the base line against which the line is compressed; `nil` if it is not compressed.
    var base: Int64?
  }

  /// Compresses a telemetry line against a base line. Stores a new base line if necessary, and marks the base lines
  /// that will not be used for further lines.
  ///
  /// - Parameter sequence: the sequence number of the record with this line.
  func pack(_ line: [UInt8], sequence: UInt64, _ draft: inout Draft) throws(SQLiteError) -> PackedLine {
    guard let packer else { return PackedLine(bytes: line) }
    var step = draft.packing.step(for: line, packer)
    if case .newBase = step {
      try addBase(line, &draft)
      step = draft.packing.step(for: line, packer)
    }
    for number in draft.packing.retire() {
      var retire = try SQLiteStatement(connection, "UPDATE base SET last = ?1 WHERE number = ?2", "compress records")
      retire.bind(sequence, at: 1)
      retire.bind(number, at: 2)
      try retire.run()
    }
    guard case .packed(let frame, let base) = step else { return PackedLine(bytes: line) }
    return PackedLine(bytes: frame, base: base)
  }

  /// Stores a line as a new base line, and removes base lines that no record needs any longer.
  private func addBase(_ line: [UInt8], _ draft: inout Draft) throws(SQLiteError) {
    guard let base = PackingBase(number: draft.packing.next, line.span) else { return }
    try connection.execute(
      """
      DELETE FROM base
        WHERE last < coalesce((SELECT seq FROM telemetry ORDER BY seq LIMIT 1), \(draft.last + 1))
      """, "compress records")
    var insert = try SQLiteStatement(
      connection, "INSERT INTO base (number, sum, line) VALUES (?1, ?2, ?3)", "compress records")
    var sum = CRC32()
    sum.update(line.span)
    insert.bind(base.number, at: 1)
    insert.bind(Int64(sum.value), at: 2)
    try insert.run(line, at: 3)
    draft.packing.append(base)
  }
}
