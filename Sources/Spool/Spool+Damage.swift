import Telemetry

// A damaged file is set aside, and what can be read of it goes into the one that takes its place.
extension Spool {
  /// Puts a damaged file aside and begins a new one, with a new epoch.
  mutating func replaceFile(_ error: SQLiteError) throws(SpoolError) {
    let before = file.map { Before(epoch: $0.epoch, last: $0.last, held: $0.counts.reduce(0, +), sinks: progress) }
    file = nil
    lastEpoch = nil
    // Rows of the old file mean nothing in the new one.
    for index in owed.indices { owed[index].row = 0 }
    memory.forgetRows()
    settled = []
    notes.forgetFile()
    let kept = try DamagedFiles.setAside(path)
    do throws(SQLiteError) {
      try takeFile()
    } catch {
      owe(loss(before, saved: 0))
      throw SpoolError(error, path)
    }
    let saved = save(from: kept, before)
    news.append(.setAside(SpoolError(error, path), kept: kept, saved: saved))
  }

  /// What is known of a file that was damaged while it was in use.
  private struct Before {
    var epoch: UUIDv7
    var last: UInt64
    var held: Int64
    var sinks: [SinkProgress]
  }

  /// Copies what can be read of the old file into the new one, and owes a record of what cannot.
  ///
  /// - Returns: how many records were copied.
  private mutating func save(from kept: String, _ known: Before?) -> UInt64 {
    guard let file else { return 0 }
    var saved: UInt64 = 0
    var before = known
    do throws(SQLiteError) {
      var salvage = try Salvage(path: kept, working: options.working)
      let sinks = known?.sinks ?? salvage.progress(of: options.sinks)
      if before == nil, let state = salvage.state {
        let held = state.counts.reduce(0, +)
        before = Before(epoch: state.epoch, last: max(state.last, state.reserved), held: held, sinks: sinks)
      }
      if known == nil { for loss in salvage.owed { owe(loss.withoutRow) } }
      for (name, value) in salvage.notes where note(name) == nil { keep(value, as: name) }
      // Owed from the beginning: a crash on the way must not leave the rest untold.
      let place = owed.count
      owed.append(loss(before, saved: 0))
      var boots: [Int64: Int64] = [:]
      defer {
        let row = owed.remove(at: place).row
        if row != 0 { settled.append(row) }
      }
      for lane in Lane.allCases { try copy(lane, from: &salvage, to: file, sinks, &boots, &saved) }
    } catch {
      // No database any more, or the new file failed, too, which the next commit finds.
      owe(loss(before, saved: saved))
      return saved
    }
    // Not one is missing, as far as the old file counted.
    if let before, saved >= UInt64(clamping: before.held) { return saved }
    owe(loss(before, saved: saved))
    return saved
  }

  private mutating func copy(
    _ lane: Lane, from salvage: inout Salvage, to file: SpoolFile, _ sinks: [SinkProgress],
    _ boots: inout [Int64: Int64], _ saved: inout UInt64
  ) throws(SQLiteError) {
    var position: UInt64 = 0
    while true {
      let found = salvage.next(lane, behind: &position)
      options.working()
      guard !found.isEmpty else { return }
      var records: [PendingRecord] = []
      for one in found {
        var record = one.record
        if boots[record.boot] == nil {
          let boot = salvage.boot(record.boot)
          boots[record.boot] = try file.adoptBoot(boot.id, boot.clock)
        }
        record.boot = boots[record.boot] ?? 0
        records.append(record)
      }
      let first = file.last + 1
      try commit(records, to: file)
      for (index, one) in found.enumerated() {
        for (sink, had) in zip(progress, sinks) where had.lanes[lane.rawValue].acknowledged.contains(one.sequence) {
          let number = first + UInt64(index)
          sink.lanes[lane.rawValue].skip(number...number)
          sink.hasNewAcknowledgements = true
        }
      }
      saved += UInt64(found.count)
    }
  }

  private func loss(_ before: Before?, saved: UInt64) -> Loss {
    guard let before else { return Loss(.damagedSpool, epoch: nil, sequences: nil, count: nil) }
    let cursor = before.sinks.flatMap { sink in sink.lanes.map(\.cursor) }.min() ?? 0
    let last = max(before.last, 1)
    let held = UInt64(clamping: before.held)
    return Loss(
      .damagedSpool, epoch: before.epoch, sequences: min(cursor + 1, last)...last,
      count: held > saved ? held - saved : nil)
  }
}
