import Glibc
import Spool

/// A disk that is full for a while. Prints:
///
///     state durable|memory    the present storage of records
///     sent SOURCE SEQ N       record N was sent
struct DiskFaults {
  private let folder: String
  private let file: String

  init(_ folder: String, _ file: String) {
    self.folder = folder
    self.file = file
  }

  func run() {
    for fault in [ENOSPC, EROFS, EIO] { run(fault) }
  }

  /// Stores a note, and closes the spool or ends without closing it.
  func storeNote(isClosed: Bool) {
    var spool = Spool(SpoolOptions(folder), bootId: "probe", at: 0)
    spool.setNote(Array("under way".utf8), as: "trips")
    spool.commitAll(at: 1)
    if isClosed { spool.close(at: 2) } else { _exit(0) }
  }

  /// Reads the note on a disk that is full at the start, and again after the disk accepts writes.
  func readNote() {
    set(ENOSPC)
    var options = SpoolOptions(folder)
    options.retryInterval = 10
    var spool = Spool(options, bootId: "probe", at: 3)
    if case .durable = spool.state { printLine("state durable") }
    printNote(spool.note("trips"))
    set(0)
    spool.advance(to: 20)
    if case .inMemory(let error) = spool.state { printLine("state \(error)") }
    printNote(spool.note("trips"))
    spool.close(at: 30)
  }

  private func printNote(_ note: [UInt8]?) {
    printLine("note \(note.map { String(decoding: $0, as: UTF8.self) } ?? "none")")
  }

  private func run(_ fault: Int32) {
    var options = SpoolOptions(folder)
    options.commitInterval = 1
    options.retryInterval = 10
    printLine("fault \(fault)")
    var spool = Spool(options, bootId: "probe", at: 0)
    var maker = Maker()
    maker.reportLosses(to: &spool)
    for number in 1...100 { maker.append(number, to: &spool) }
    commitAll(&spool, at: 10)
    set(fault)
    for number in 101...200 { maker.append(number, to: &spool) }
    commitAll(&spool, at: 20)
    send(&spool, upTo: 120, at: 21)
    for number in 201...300 { maker.append(number, to: &spool) }
    commitAll(&spool, at: 40)
    set(0)
    commitAll(&spool, at: 60)
    for number in 301...400 { maker.append(number, to: &spool) }
    commitAll(&spool, at: 80)
    maker.reportLosses(to: &spool)
    send(&spool, upTo: .max, at: 90)
    spool.close(at: 100)
    while let news = spool.popEvent() { printLine("news \(news)") }
  }

  private func commitAll(_ spool: inout Spool, at now: Int64) {
    spool.advance(to: now)
    spool.advance(to: now + 5)
    if case .inMemory = spool.state { printLine("state memory") } else { printLine("state durable") }
  }

  /// Delivers and acknowledges at most this many records.
  private func send(_ spool: inout Spool, upTo count: Int, at now: Int64) {
    var batch = RecordBatch()
    var sent = 0
    while sent < count {
      spool.nextBatch(for: 0, limit: RecordBatch.Limit(records: 30), at: now, into: &batch)
      guard !batch.isEmpty else { return }
      for record in batch.records {
        let source = if case .memory = record.number.source { "memory" } else { "file" }
        printLine("sent \(source) \(record.number.sequence) \(SpoolRounds.value(batch.bytes[record.range]))")
      }
      spool.acknowledge(batch, by: 0)
      sent += batch.records.count
    }
  }

  /// Makes every write fail with this `errno`; 0 for none.
  private func set(_ fault: Int32) {
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    let text = Array("\(fault)\n".utf8)
    if unsafe write(descriptor, text, text.count) != text.count { printLine("failed \(file)") }
    close(descriptor)
  }
}
