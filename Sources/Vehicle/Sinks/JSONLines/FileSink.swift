import Ports
import Spool

/// Writes records as JSON lines to a file. When the file is large or old enough, it is renamed and a new one is begun
/// (rotation).
///
/// A record counts as delivered when its line is on the disk (fdatasync(2)). Each batch is written at once. Batches
/// arrive after the spool's commits. After a crash, records that the file already contains are acknowledged but not
/// written again.
public struct FileSink: Sink, ~Copyable {
  /// Maximum size of a batch.
  public static let limit = RecordBatch.Limit(records: 250, bytes: 1 << 16)
  /// Time until the next attempt after a failure, ns. A full disk usually stays full for a while.
  static let retryInterval: Int64 = 5_000_000_000

  private let configuration: FileSinkConfiguration
  private var file: RecordFile?
  /// Numbers of the records near the end of the newest rotated files, as they were at the start; `nil` before they were
  /// read.
  private var former: TailNumbers?
  private var report = FailureReport()
  private var events: [SinkEvent] = []

  /// Creates a sink. The file is opened when the first batch arrives.
  public init(_ configuration: FileSinkConfiguration) { self.configuration = configuration }

  public mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery {
    var delivery = Delivery()
    var synced = 0
    do throws(SinkError) {
      try write(batch, synced: &synced)
      if report.succeeded() { events.append(.working("\(configuration.path): written to")) }
    } catch {
      // If the file could not be opened, nothing was written.
      delivery.sentNothing = file == nil
      // Possibly the descriptor does not work any more. Open the file again, which also checks it.
      file = nil
      if let failing = report.failed(error) { events.append(failing) }
      delivery.notBefore = BootClock.now &+ Self.retryInterval
    }
    delivery.acknowledge(0..<synced)
    delivery.events = events
    events = []
    return delivery
  }

  /// Writes those records that the files do not contain yet. When a file reaches its limits, the next one is begun.
  ///
  /// - Parameter synced: receives the number of records, from the start of the batch on, that are on the disk, even if
  ///   this function throws.
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

  /// Returns the file that has the configured path now.
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
    // Complete a rotation that a crash has interrupted.
    if isFirst {
      lookBack()
      tidy()
    }
    return opened
  }

  /// Reads the ends of the rotated files. After a rotation, a crash may have prevented the spool from storing
  /// acknowledgements, so that it delivers records of these files again.
  private mutating func lookBack() {
    guard former == nil else { return }
    do throws(SinkError) {
      former = try RotatedFiles(configuration.path).lastNumbers()
    } catch {
      former = TailNumbers()
      events.append(.remark("\(error); its records may be written again"))
    }
  }

  /// Whether a line must be the first one of a new file.
  ///
  /// - Parameter pending: lines that precede it in the current file and are not written yet.
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

  /// Renames the file, and returns a new one.
  private mutating func rotated(_ file: RecordFile) throws(SinkError) -> RecordFile {
    try RotatedFiles(configuration.path).putAside()
    former?.add(file.known)
    self.file = nil
    let next = try RecordFile(configuration.path)
    self.file = next
    tidy()
    return next
  }

  /// Compresses rotated files, and removes those that are too many. If this fails, records are still written.
  private mutating func tidy() {
    let rotation = configuration.rotation
    do throws(SinkError) {
      try RotatedFiles(configuration.path).tidy(keep: rotation.keep, compresses: rotation.compresses)
    } catch {
      events.append(.remark("\(error)"))
    }
  }
}
