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
  private var news: [SinkNews] = []

  /// Creates a sink. It opens the file with the first batch.
  public init(_ configuration: FileSinkConfiguration) { self.configuration = configuration }

  public mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery {
    var delivery = Delivery()
    do throws(SinkError) {
      try write(batch)
      delivery.acknowledge(0..<batch.records.count)
      if report.succeeded() { news.append(.working("\(configuration.path): written to")) }
    } catch {
      // If no file could be opened, nothing was written.
      delivery.sentNothing = file == nil
      // The descriptor may be dead; reopen and re-check the file.
      file = nil
      if let failing = report.failed(error) { news.append(failing) }
      delivery.notBefore = BootClock.now &+ Self.retryInterval
    }
    delivery.news = news
    news = []
    return delivery
  }

  private mutating func write(_ batch: RecordBatch) throws(SinkError) {
    let file = try openFile()
    var lines: [UInt8] = []
    for record in batch.records {
      let line = batch.bytes[record.range]
      if let number = RecordLine.number(line), file.contains(number) || former?.contains(number) == true {
        continue
      }
      lines += line
    }
    // If nothing remains to be written, do not rotate.
    guard !lines.isEmpty else { return }
    try rotatedIfDue(file, adding: lines.count, of: batch).append(lines[...])
  }

  /// Returns the file that is now at the path.
  private mutating func openFile() throws(SinkError) -> RecordFile {
    if let file, !file.isElsewhere { return file }
    let isFirst = file == nil
    file = nil
    let opened = try RecordFile(configuration.path)
    switch opened.mended {
    case .cutLineRemoved(let bytes):
      news.append(.remark("\(configuration.path): a line that was cut is removed: \(bytes) bytes"))
    case .lineEnded: news.append(.remark("\(configuration.path): its last line had no end; it has one now"))
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
      news.append(.remark("\(error); a record in it may come twice"))
    }
  }

  private mutating func rotatedIfDue(
    _ file: RecordFile, adding count: Int, of batch: RecordBatch
  ) throws(SinkError) -> RecordFile {
    guard file.size > 0 else { return file }
    let isLong = configuration.rotation.bytes.map { file.size + count > $0 } ?? false
    guard isLong || isOld(file, batch) else { return file }
    try RotatedFiles(configuration.path).putAside()
    former?.add(file.known)
    self.file = nil
    let next = try RecordFile(configuration.path)
    self.file = next
    tidy()
    return next
  }

  private func isOld(_ file: RecordFile, _ batch: RecordBatch) -> Bool {
    guard let limit = configuration.rotation.milliseconds, let first = file.firstMilliseconds else { return false }
    return batch.records.contains { record in
      guard let own = RecordLine.milliseconds(batch.bytes[record.range]), own > first else { return false }
      return own - first >= limit
    }
  }

  /// Compresses and removes rotated files. A failure does not delay records.
  private mutating func tidy() {
    let rotation = configuration.rotation
    do throws(SinkError) {
      try RotatedFiles(configuration.path).tidy(keep: rotation.keep, compresses: rotation.compresses)
    } catch {
      news.append(.remark("\(error)"))
    }
  }
}
