import Telemetry

// A damaged file is set aside, and what can be read of it goes into the one that takes its place.
extension Spool {
  /// Puts a damaged file aside and begins a new one, with a new epoch.
  mutating func replaceFile(_ error: SQLiteError) throws(SpoolError) {
    let before = file.map { Before($0, progress) }
    forgetFile()
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

  private mutating func forgetFile() {
    file = nil
    lastEpoch = nil
    // Its rows mean nothing in another one.
    for index in owed.indices { owed[index].row = 0 }
    memory.forgetRows()
    settled = []
    notes.forgetFile()
  }

  /// The file is not where it was: whoever removed it wants its records to be gone. The next one that is opened is
  /// another.
  mutating func loseFile() {
    let lost = file.map { Before($0, progress) }
    oweAll()
    // Closed before another is opened by its name.
    forgetFile()
    // It went with the folder, or may have.
    lock = nil
    news.append(.fileGone(path: path))
    openFile()
    // A copy of it that was put back does not know all numbers that were given.
    if let file, let lost, file.epoch == lost.epoch { file.give(upTo: lost.last) }
  }

  /// Owes records of the loss of all that the file holds: nobody can open it any more, but here it can still be read.
  private mutating func oweAll() {
    guard let file else { return }
    do throws(SQLiteError) {
      for loss in try file.lossOfAll(progress) { owe(loss) }
    } catch {
      owe(loss(Before(file, progress), saved: 0))
    }
  }

  /// What is known of a file that was damaged while it was in use.
  private struct Before {
    var epoch: UUIDv7
    var last: UInt64
    var held: Int64
    var sinks: [SinkProgress]

    init(epoch: UUIDv7, last: UInt64, held: Int64, sinks: [SinkProgress]) {
      self.epoch = epoch
      self.last = last
      self.held = held
      self.sinks = sinks
    }

    init(_ file: SpoolFile, _ sinks: [SinkProgress]) {
      self.init(epoch: file.epoch, last: file.last, held: file.counts.reduce(0, +), sinks: sinks)
    }
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
