import Ports
import Spool

/// Writes records as JSON lines to a file. When the file is large or old enough, it is renamed, and a new file is begun
/// (rotation).
///
/// A record counts as delivered when its text line is on the disk (fdatasync(2)). The records of a batch are written
/// without delay. After a crash, records that the file already contains are acknowledged, but not written again.
public struct FileSink: Sink, ~Copyable {
  /// Maximum size of a batch.
  public static let limit = RecordBatch.Limit(records: 250, bytes: 1 << 16)
  /// Time until the next attempt after a failure, ns. It is 5 s, because a full disk usually stays full for some time.
  static let retryInterval: Int64 = 5_000_000_000

  private let configuration: FileSinkConfiguration
  private var file: RecordFile?
  /// Numbers of the records near the end of the newest rotated files. They are read when the file is first opened;
  /// before that, `nil`.
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
      // If the file could not be opened, no record was written.
      delivery.sentNothing = file == nil
      // The file descriptor may no longer work. The next attempt opens the file again.
      file = nil
      if let failing = report.failed(error) { events.append(failing) }
      delivery.notBefore = BootClock.now &+ Self.retryInterval
    }
    delivery.acknowledge(0..<synced)
    delivery.events = events
    events = []
    return delivery
  }

  /// Writes those records of a batch that the files do not contain yet. When the file reaches a limit, it is rotated.
  ///
  /// - Parameter synced: receives the number of records at the start of the batch that are on the disk, even if this
  ///   function throws.
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

  /// Returns the file at the configured path. Opens it if it is not open, or if the path now leads to another file.
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
    // Complete a rotation that a crash interrupted.
    if isFirst {
      lookBack()
      tidy()
    }
    return opened
  }

  /// Reads the ends of the rotated files. After a crash, the spool may deliver records of these files again, because it
  /// had not stored their acknowledgements.
  private mutating func lookBack() {
    guard former == nil else { return }
    do throws(SinkError) {
      former = try RotatedFiles(configuration.path).lastNumbers()
    } catch {
      former = TailNumbers()
      events.append(.remark("\(error); its records may be written again"))
    }
  }

  /// Whether the file must be rotated before a text line is written.
  ///
  /// - Parameter pending: text lines that precede this line and are not written yet.
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

  /// Rotates the file, and returns the new file.
  private mutating func rotated(_ file: RecordFile) throws(SinkError) -> RecordFile {
    try RotatedFiles(configuration.path).putAside()
    former?.add(file.known)
    self.file = nil
    let next = try RecordFile(configuration.path)
    self.file = next
    tidy()
    return next
  }

  /// Compresses rotated files, and removes the oldest ones if there are too many. A failure is reported, but does not
  /// prevent writing.
  private mutating func tidy() {
    let rotation = configuration.rotation
    do throws(SinkError) {
      try RotatedFiles(configuration.path).tidy(keep: rotation.keep, compresses: rotation.compresses)
    } catch {
      events.append(.remark("\(error)"))
    }
  }
}
