import Telemetry

extension SpoolFile {
  /// The number of a boot of another file, here; what was known of its clock comes with it.
  func adoptBoot(_ id: String, _ entries: [ClockBook.Entry]) throws(SQLiteError) -> Int64 {
    let number = try transaction { () throws(SQLiteError) in
      let number = try SpoolOpening.number(connection, table: "boot", column: "id", of: id)
      for entry in entries where number != boot { try keep(entry, boot: number) }
      return number
    }
    if number == boot {
      // This boot: what was learned of the clock earlier today.
      for entry in entries where clock.learn(entry.wall, boot: boot, at: entry.since) { hasNewClock = true }
    } else {
      for entry in entries { clock.restore(entry, boot: number) }
    }
    return number
  }
}
