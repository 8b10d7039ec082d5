import Telemetry

extension SpoolFile {
  /// Adds a boot from another file to this file, with its clock entries.
  ///
  /// - Returns: the boot's row number in this file.
  func adoptBoot(_ id: String, _ entries: [ClockHistory.Entry]) throws(SQLiteError) -> Int64 {
    let number = try transaction { () throws(SQLiteError) in
      let number = try SpoolOpening.number(connection, table: "boot", column: "id", of: id)
      for entry in entries where number != boot { try insert(entry, boot: number) }
      return number
    }
    if number == boot {
      // The boot is the current one. Dates that became known earlier in this boot, while another file was used, also
      // apply to the records of this file.
      for entry in entries where clock.learn(entry.wall, boot: boot, at: entry.since) { hasNewClock = true }
    } else {
      for entry in entries { clock.restore(entry, boot: number) }
    }
    return number
  }
}
