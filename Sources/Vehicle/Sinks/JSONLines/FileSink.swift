import Ports
import Spool

/// Writes records as JSON lines to a file and rotates it by size or age.
///
/// A record counts as delivered when its line is on the disk (fdatasync(2)). Each batch is one write; batches arrive
/// with the spool's commits. After a crash, records that the file already contains are acknowledged but not written
/// again.
public struct FileSink: Sink, ~Copyable {
  /// Limit for one batch.
  public static let limit = RecordBatch.Limit(records: 250, bytes: 1 << 16)
  /// Delay after a failure, ns. A full disk usually stays full for a while.
  static let retryInterval: Int64 = 5_000_000_000

  private let configuration: FileSinkConfiguration
  private var file: RecordFile?
  /// Records near the end of the rotated files at the start; `nil` before they were read.
  private var former: TailNumbers?
  private var report = FailureReport()
  private var events: [SinkEvent] = []

  /// Creates a sink. It opens the file with the first batch.
  public init(_ configuration: FileSinkConfiguration) { self.configuration = configuration }

  public mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery {
    var delivery = Delivery()
    var synced = 0
    do throws(SinkError) {
      try write(batch, synced: &synced)
      if report.succeeded() { events.append(.working("\(configuration.path): written to")) }
    } catch {
      // If no file could be opened, nothing was written.
      delivery.sentNothing = file == nil
      // The descriptor may be dead; reopen and re-check the file.
      file = nil
      if let failing = report.failed(error) { events.append(failing) }
      delivery.notBefore = BootClock.now &+ Self.retryInterval
    }
    delivery.acknowledge(0..<synced)
    delivery.events = events
    events = []
    return delivery
  }

  /// Writes the records that the files do not contain yet, and fills each file up to its limits.
  ///
  /// - Parameter synced: receives the number of records from the start of the batch that are on the disk, also if this
  ///   throws.
  private mutating func write(_ batch: RecordBatch, synced: inout Int) throws(SinkError) {
    var file = try openFile()
    var lines: [UInt8] = []
    for (index, record) in batch.records.enumerated() {
      let line = batch.bytes[record.range]
      if let number = RecordLine.number(line), file.contains(number) || former?.contains(number) == true {
        continue
      }
      if isFull(file, lines, before: line) {
        if !lines.isEmpty { try file.append(lines[...]) }
        lines = []
        synced = index
        file = try rotated(file)
      }
      lines += line
    }
    if !lines.isEmpty { try file.append(lines[...]) }
    synced = batch.records.count
  }

  /// Returns the file that is now at the path.
  private mutating func openFile() throws(SinkError) -> RecordFile {
    if let file, !file.isElsewhere { return file }
    let isFirst = file == nil
    file = nil
    let opened = try RecordFile(configuration.path)
    switch opened.repair {
    case .cutLineRemoved(let bytes):
      events.append(.remark("\(configuration.path): an incomplete last line was removed: \(bytes) bytes"))
    case .lineEnded: events.append(.remark("\(configuration.path): the last line had no line feed; one was added"))
    case nil: break
    }
    file = opened
    // Finish what a crash interrupted.
    if isFirst {
      lookBack()
      tidy()
    }
    return opened
  }

  /// Reads the rotated files. A crash may have followed a rotation before the spool stored its acknowledgements.
  private mutating func lookBack() {
    guard former == nil else { return }
    do throws(SinkError) {
      former = try RotatedFiles(configuration.path).lastNumbers()
    } catch {
      former = TailNumbers()
      events.append(.remark("\(error); its records may be written again"))
    }
  }

  /// Whether a line belongs into a new file.
  ///
  /// - Parameter pending: lines that come before it in the file and are not written yet.
  private func isFull(_ file: RecordFile, _ pending: [UInt8], before line: ArraySlice<UInt8>) -> Bool {
    let size = file.size + pending.count
    guard size > 0 else { return false }
    if let limit = configuration.rotation.bytes, size + line.count > limit { return true }
    guard let limit = configuration.rotation.milliseconds,
      let first = file.firstMilliseconds ?? RecordLine.milliseconds(pending[...]),
      let own = RecordLine.milliseconds(line), own > first
    else { return false }
    return own - first >= limit
  }

  /// Puts the file aside and returns the new one.
  private mutating func rotated(_ file: RecordFile) throws(SinkError) -> RecordFile {
    try RotatedFiles(configuration.path).putAside()
    former?.add(file.known)
    self.file = nil
    let next = try RecordFile(configuration.path)
    self.file = next
    tidy()
    return next
  }

  /// Compresses and removes rotated files. A failure does not delay records.
  private mutating func tidy() {
    let rotation = configuration.rotation
    do throws(SinkError) {
      try RotatedFiles(configuration.path).tidy(keep: rotation.keep, compresses: rotation.compresses)
    } catch {
      events.append(.remark("\(error)"))
    }
  }
}
