import Glibc
import Telemetry

// The file comes and goes: opening it, failing, trying again.
extension Spool {
  /// Opens the file; a damaged one is set aside, and another takes its place.
  mutating func openFile() {
    guard let folder = options.folder else {
      state = .inMemory(SpoolError(.system, path, "there is no folder for it"))
      return
    }
    do throws(SpoolError) {
      if lock == nil { lock = try FolderLock(folder) }
      do throws(SQLiteError) {
        try takeFile()
      } catch {
        guard error.kind == .damaged else { throw explained(error) }
        try replaceFile(error)
      }
    } catch {
      stayInMemory(error)
      lookAtNotes()
    }
  }

  /// Reads what was kept in a file that cannot be taken into use, because the disk is full: it holds all the same, and its
  /// owner asks for it at the start.
  private mutating func lookAtNotes() {
    guard lock != nil, file == nil, lastEpoch == nil else { return }
    let hasLog = unsafe access(path + "-wal", F_OK) == 0
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(lookingAt: path, hasLog: hasLog)
      defer { connection.keepLog() }
      // The log's index is in this process's own memory then.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE", "set up")
      notes.adopt(try SpoolFile.notes(connection))
    } catch {
      // There is no file, or none that can be read: its state says so already.
      return
    }
  }

  mutating func takeFile() throws(SQLiteError) {
    let before = lastEpoch
    let found = options.sinks.map { SinkProgress(name: $0) }
    let opened = try SpoolFile(
      path: path, bootId: bootId, sinks: found, gatewayId: options.gatewayId, resuming: before,
      newEpoch: options.newEpoch)
    let losses = try SpoolOpening.owed(opened.connection)
    let kept = try SpoolFile.notes(opened.connection)
    if opened.epoch == before {
      // What sinks have acknowledged meanwhile is more than the file knows.
      for (sink, row) in zip(progress, found.map(\.row)) { sink.row = row }
      for sink in progress { sink.hasNewAcknowledgements = true }
    } else {
      progress = found
      generation += 1
      owed += losses
      if !opened.wasClean { news.append(.uncleanStop(path: path)) }
      news.append(.opened(path: path, records: opened.counts.reduce(0, +)))
    }
    for (sink, records) in opened.forgotten {
      news.append(.sinkForgotten(path: path, sink: sink, records: records))
    }
    notes.adopt(kept)
    if opened.clock.learn(wall, boot: opened.boot, at: now) { opened.hasNewClock = true }
    file = opened
    lastEpoch = opened.epoch
    state = .durable
    retryAt = .max
  }

  /// Commits what waits.
  mutating func commit() {
    // Into a file that nobody finds again nothing is committed.
    if file?.isElsewhere == true {
      loseFile()
      guard state == .durable else { return }
    }
    guard let file else { return openFile() }
    do throws(SQLiteError) {
      try commit(to: file)
    } catch {
      fail(error)
    }
  }

  private mutating func commit(to file: SpoolFile) throws(SQLiteError) {
    let first = file.last + unnumbered.values.reduce(0, +) + 1
    let records = memory.movable
    let bounds = SpoolFile.Bounds(bytes: options.maximumBytes, age: options.maximumAge, now: now)
    try file.commit(
      records, sinks: progress, owed: &owed, settled: settled, bounds: bounds, notes: notes.pending,
      unnumbered: unnumbered)
    settled = []
    notes.committed()
    unnumbered = [:]
    for (index, record) in records.enumerated() where record.number != 0 {
      shownBefore.insert(first + UInt64(index)...first + UInt64(index))
    }
    for (index, record) in records.enumerated() where record.acknowledged != 0 {
      let number = first + UInt64(index)
      for (bit, sink) in progress.enumerated() where record.acknowledged >> UInt32(bit) & 1 == 1 {
        sink.lanes[record.lane.rawValue].skip(number...number)
        sink.hasNewAcknowledgements = true
      }
    }
    memory.removeMovable(newEpoch: options.newEpoch)
    waitingSince = nil
  }

  /// Commits these records, and what sinks have acknowledged.
  mutating func commit(_ records: [PendingRecord], to file: SpoolFile) throws(SQLiteError) {
    let bounds = SpoolFile.Bounds(bytes: options.maximumBytes, age: options.maximumAge, now: now)
    try file.commit(records, sinks: progress, owed: &owed, settled: settled, bounds: bounds)
    settled = []
  }

  /// The file failed: what that means for the records from here on.
  mutating func fail(_ error: SQLiteError) {
    switch error.kind {
    case .damaged:
      do throws(SpoolError) {
        try replaceFile(error)
        // What waited goes into the new one.
        if let file { try commitAgain(to: file) }
      } catch {
        file = nil
        stayInMemory(error)
      }
    case .full, .readOnly, .busy, .system:
      // What is committed may still be read.
      stayInMemory(explained(error))
    }
  }

  /// With what the system says, where SQLite only knows that something failed.
  private func explained(_ error: SQLiteError) -> SpoolError {
    guard error.kind == .system, let code = lock?.writeFailure(), code != 0 else { return SpoolError(error, path) }
    return .system(path, "\(error.action)", code)
  }

  private mutating func commitAgain(to file: SpoolFile) throws(SpoolError) {
    do throws(SQLiteError) {
      try commit(to: file)
    } catch {
      throw SpoolError(error, path)
    }
  }

  private mutating func stayInMemory(_ error: SpoolError) {
    if state != .inMemory(error) { news.append(.inMemory(error)) }
    // A sink that asks again and again does not put the next attempt off.
    if state == .durable || retryAt <= now { retryAt = now &+ options.retryInterval }
    state = .inMemory(error)
    waitingSince = nil
  }

  /// Tries the file again.
  mutating func retry() {
    guard case .inMemory(let error) = state else { return }
    if file?.isElsewhere == true {
      loseFile()
      return comeBack()
    }
    // Where there is only no room, the file is as it was. Otherwise it may be another by now, or its descriptor dead.
    guard let file, error.kind == .full else {
      openFile()
      return comeBack()
    }
    do throws(SQLiteError) {
      try commit(to: file)
      state = .durable
      retryAt = .max
      news.append(.durableAgain(path: path))
    } catch {
      fail(error)
    }
  }

  /// What waited in memory goes into the file that was opened, if any.
  private mutating func comeBack() {
    if state == .durable { commit() }
    if state == .durable { news.append(.durableAgain(path: path)) }
  }

  /// Owes a record of a loss that no file knows.
  mutating func owe(_ loss: Loss) {
    for index in owed.indices where owed[index].row == 0 && owed[index].merge(loss) { return }
    owed.append(loss)
  }
}
