import Telemetry

// Recovery from damage: the damaged file is renamed, and its readable records are copied into a new file.
extension Spool {
  /// Renames a damaged file, and creates a new file with a new epoch.
  mutating func replaceFile(_ error: SQLiteError) throws(SpoolError) {
    let before = file.map { FileState($0, progress) }
    forgetFile()
    let kept = try DamagedFiles.setAside(path)
    do throws(SQLiteError) {
      try adoptFile()
    } catch {
      queue(loss(before, saved: 0))
      throw SpoolError(error, path)
    }
    let saved = save(from: kept, before)
    pendingEvents.append(.setAside(SpoolError(error, path), kept: kept, saved: saved))
  }

  private mutating func forgetFile() {
    file = nil
    lastEpoch = nil
    // The row numbers are those of the old file, and have no meaning in another file.
    for index in unreported.indices { unreported[index].row = 0 }
    memory.clearRows()
    reportedRows = []
    notes.forgetFile()
  }

  /// Stops using a file that is no longer at its path. The user who removed the file wanted its records to be deleted,
  /// so they are not copied into the next file.
  mutating func abandonFile() {
    let lost = file.map { FileState($0, progress) }
    queueLossesOfFile()
    // Close the old file before a new one is opened at the same path.
    forgetFile()
    // The lock file may have been removed, too, for example together with the folder.
    lock = nil
    pendingEvents.append(.fileGone(path: path))
    openFile()
    // The file that is now at the path may be an older copy of the abandoned file. The copy lacks the numbers that were
    // used after it was made, so skip these.
    if let file, let lost, file.epoch == lost.epoch { file.skip(upTo: lost.last) }
  }

  /// Adds losses for all records in the file that a sink has not acknowledged. The file is no longer at its path, but
  /// the open connection can still read it.
  private mutating func queueLossesOfFile() {
    guard let file else { return }
    do throws(SQLiteError) {
      for loss in try file.lossOfAll(progress) { queue(loss) }
    } catch {
      queue(loss(FileState(file, progress), saved: 0))
    }
  }

  /// What was known about a file before it was found to be damaged or missing.
  private struct FileState {
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

  /// Copies the readable records of the old file into the new file, and adds a loss for all other records.
  ///
  /// - Returns: the number of records that were copied.
  private mutating func save(from kept: String, _ known: FileState?) -> UInt64 {
    guard let file else { return 0 }
    var saved: UInt64 = 0
    var before = known
    do throws(SQLiteError) {
      var salvage = try Salvage(path: kept, working: options.working)
      let sinks = known?.sinks ?? salvage.progress(of: options.sinks)
      if before == nil, let state = salvage.state {
        let held = state.counts.reduce(0, +)
        before = FileState(epoch: state.epoch, last: max(state.last, state.reserved), held: held, sinks: sinks)
      }
      if known == nil { for loss in salvage.unreported { queue(loss.withoutRow) } }
      for (name, value) in salvage.notes where note(name) == nil { setNote(value, as: name) }
      // Add the loss before copying begins. Even if a crash interrupts the copying, the loss of the other records is
      // then reported.
      let place = unreported.count
      unreported.append(loss(before, saved: 0))
      var boots: [Int64: Int64] = [:]
      defer {
        let row = unreported.remove(at: place).row
        if row != 0 { reportedRows.append(row) }
      }
      for lane in Lane.allCases { try copy(lane, from: &salvage, to: file, sinks, &boots, &saved) }
    } catch {
      // Either the old file is no longer a database, or the new file has failed, too. If the new file has failed, the
      // next commit detects the failure.
      queue(loss(before, saved: saved))
      return saved
    }
    // If at least as many records were copied as the old file had according to its counts, no record is missing.
    if let before, saved >= UInt64(clamping: before.held) { return saved }
    queue(loss(before, saved: saved))
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

  private func loss(_ before: FileState?, saved: UInt64) -> Loss {
    guard let before else { return Loss(.damagedSpool, epoch: nil, sequences: nil, count: nil) }
    let cursor = before.sinks.flatMap { sink in sink.lanes.map(\.cursor) }.min() ?? 0
    let last = max(before.last, 1)
    let held = UInt64(clamping: before.held)
    return Loss(
      .damagedSpool, epoch: before.epoch, sequences: min(cursor + 1, last)...last,
      count: held > saved ? held - saved : nil)
  }
}
