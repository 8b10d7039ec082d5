import Glibc
import Telemetry

// Opens the file, handles its errors, and tries to open it again later if it could not be used.
extension Spool {
  /// Opens the file. If it is damaged, it is renamed, and a new file takes its place.
  mutating func openFile() {
    guard let folder = options.folder else {
      state = .inMemory(SpoolError(.system, path, "no folder configured"))
      return
    }
    do throws(SpoolError) {
      if lock == nil { lock = try FolderLock(folder) }
      do throws(SQLiteError) {
        try adoptFile()
      } catch {
        guard error.kind == .damaged else { throw explained(error) }
        try replaceFile(error)
      }
    } catch {
      stayInMemory(error)
      readNotes()
    }
  }

  /// Reads the notes of a file that cannot be opened for writing, for example because the disk is full. The daemon
  /// needs the notes when it starts. The notes are valid even if the file cannot be written.
  private mutating func readNotes() {
    guard lock != nil, file == nil, lastEpoch == nil else { return }
    let hasLog = unsafe access(path + "-wal", F_OK) == 0
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(lookingAt: path, hasLog: hasLog)
      defer { connection.preserveLog() }
      // In exclusive mode, the index of the write-ahead log is in this process's memory instead of a file.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE", "set up")
      notes.adopt(try SpoolFile.notes(connection))
    } catch {
      // The file does not exist or cannot be read. `state` already reports this.
      return
    }
  }

  /// Opens the file, and reads its content into memory: losses, notes, clock entries and the sinks' progress. If this
  /// process had the same file open before, it keeps the progress that is in memory, because that is newer.
  mutating func adoptFile() throws(SQLiteError) {
    let before = lastEpoch
    let found = options.sinks.map { SinkProgress(name: $0) }
    let opened = try SpoolFile(
      path: path, bootId: bootId, sinks: found, gatewayId: options.gatewayId, resuming: before,
      mark: lock?.previousMark, newEpoch: options.newEpoch)
    let losses = try SpoolOpening.unreported(opened.connection)
    let kept = try SpoolFile.notes(opened.connection)
    if opened.epoch == before {
      // Acknowledgements in memory are newer than those in the file, so keep them.
      for (sink, row) in zip(progress, found.map(\.row)) { sink.row = row }
      for sink in progress { sink.hasNewAcknowledgements = true }
    } else {
      progress = found
      generation += 1
      unreported += losses
      if !opened.wasClean { pendingEvents.append(.uncleanStop(path: path)) }
      pendingEvents.append(.opened(path: path, records: opened.counts.reduce(0, +)))
    }
    for (sink, records) in opened.forgotten {
      pendingEvents.append(.sinkForgotten(path: path, sink: sink, records: records))
    }
    notes.adopt(kept)
    if opened.clock.learn(wall, boot: opened.boot, at: now) { opened.hasNewClock = true }
    file = opened
    lastEpoch = opened.epoch
    state = .durable
    retryAt = .max
    markPending()
  }

  /// Writes the ``PendingMark``. Its number is one higher than the number that the last record in memory would get,
  /// because another record may be on its way to the spool.
  ///
  /// - Parameter more: number of further records that may arrive before the next mark is written.
  func markPending(more: Int = 0) {
    guard let file, let lock else { return }
    let pending = UInt64(memory.records.count + more) + unnumbered.values.reduce(0, +)
    lock.write(PendingMark(epoch: file.epoch, last: file.last + pending + 1, bootId: bootId))
  }

  /// Commits all records, notes, acknowledgements and losses that are waiting.
  mutating func commit() {
    // Do not commit into a file that nobody can open again.
    if file?.isElsewhere == true {
      abandonFile()
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
    // Records that arrive during a slow commit wait in the queue before the spool. Allow for as many of them as there
    // are records in this commit.
    markPending(more: records.count)
    let bounds = SpoolFile.Bounds(bytes: options.maximumBytes, age: options.maximumAge, now: now)
    try file.commit(
      records, sinks: progress, unreported: &unreported, reportedRows: reportedRows, bounds: bounds,
      notes: notes.pending,
      unnumbered: unnumbered)
    reportedRows = []
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
    markPending()
    waitingSince = nil
  }

  /// Commits the given records, together with the sinks' acknowledgements.
  mutating func commit(_ records: [PendingRecord], to file: SpoolFile) throws(SQLiteError) {
    let bounds = SpoolFile.Bounds(bytes: options.maximumBytes, age: options.maximumAge, now: now)
    try file.commit(records, sinks: progress, unreported: &unreported, reportedRows: reportedRows, bounds: bounds)
    reportedRows = []
  }

  /// Handles the error of an operation on the file. Replaces the file if it is damaged; otherwise, keeps new records in
  /// memory.
  mutating func fail(_ error: SQLiteError) {
    switch error.kind {
    case .damaged:
      do throws(SpoolError) {
        try replaceFile(error)
        // Commit the waiting records to the new file.
        if let file { try commitOrThrow(to: file) }
      } catch {
        file = nil
        stayInMemory(error)
      }
    case .full, .readOnly, .busy, .system:
      // The file stays open, because its records may still be readable.
      stayInMemory(explained(error))
    }
  }

  /// Converts an error of SQLite to an error of the spool. If SQLite reports only that something has failed, the result
  /// contains the operating system's reason.
  private func explained(_ error: SQLiteError) -> SpoolError {
    guard error.kind == .system, let code = lock?.writeFailure(), code != 0 else { return SpoolError(error, path) }
    return .system(path, "\(error.action)", code)
  }

  private mutating func commitOrThrow(to file: SpoolFile) throws(SpoolError) {
    do throws(SQLiteError) {
      try commit(to: file)
    } catch {
      throw SpoolError(error, path)
    }
  }

  private mutating func stayInMemory(_ error: SpoolError) {
    if state != .inMemory(error) { pendingEvents.append(.inMemory(error)) }
    // A sink may ask for records repeatedly. This must not postpone the next attempt.
    if state == .durable || retryAt <= now { retryAt = now &+ options.retryInterval }
    state = .inMemory(error)
    waitingSince = nil
  }

  /// Tries to use the file again.
  mutating func retry() {
    guard case .inMemory(let error) = state else { return }
    if file?.isElsewhere == true {
      abandonFile()
      return commitAfterReopening()
    }
    // If only space was missing, the open file can still be used. Otherwise, the file may have been replaced, or its
    // descriptor may be unusable.
    guard let file, error.kind == .full else {
      openFile()
      return commitAfterReopening()
    }
    do throws(SQLiteError) {
      try commit(to: file)
      state = .durable
      retryAt = .max
      pendingEvents.append(.durableAgain(path: path))
    } catch {
      fail(error)
    }
  }

  /// If a file is open again, commits the records that are in memory.
  private mutating func commitAfterReopening() {
    if state == .durable { commit() }
    if state == .durable { pendingEvents.append(.durableAgain(path: path)) }
  }

  /// Adds a loss that no file has stored yet. Merges it with an earlier loss if possible.
  mutating func queue(_ loss: Loss) {
    for index in unreported.indices where unreported[index].row == 0 && unreported[index].merge(loss) { return }
    unreported.append(loss)
  }
}
