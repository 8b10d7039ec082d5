import Glibc
import Spool

/// Measurements, one line of `key=value` each.
struct SpoolMeasuring {
  private let folder: String

  init(_ folder: String) { self.folder = folder }

  /// Appends as fast as possible; the spool determines the size of commits.
  func fill(_ count: Int) {
    var options = SpoolOptions(folder)
    options.maximumBytes = 1 << 34
    var spool = Spool(options, bootId: "probe", at: 0)
    var maker = Maker()
    maker.reportLosses(to: &spool)
    let start = Self.now
    for number in 1...count { maker.append(number, to: &spool) }
    spool.advance(to: 1)
    spool.advance(to: 10_000_000_000)
    let elapsed = Self.now - start
    spool.close(at: 10_000_000_000)
    printLine("records=\(count) seconds=\(Self.text(elapsed)) perSecond=\(Int(Double(count) / elapsed)) \(Self.memory)")
  }

  func open() {
    let before = Self.memory
    let start = Self.now
    var options = SpoolOptions(folder)
    options.maximumBytes = 1 << 34
    var spool = Spool(options, bootId: "probe", at: 0)
    let opened = Self.now - start
    var batch = RecordBatch()
    spool.nextBatch(for: 0, at: 1, into: &batch)
    let first = Self.now - start
    printLine("before \(before)")
    let times = "openMs=\(Self.text(opened * 1e3)) firstBatchMs=\(Self.text(first * 1e3))"
    printLine("records=\(spool.depth.file) \(times) \(Self.memory)")
    for _ in 0..<200 {
      spool.nextBatch(for: 0, at: 1, into: &batch)
      spool.acknowledge(batch, by: 0)
    }
    spool.advance(to: 2)
    spool.advance(to: 10_000_000_000)
    printLine("afterBatches=200 \(Self.memory)")
    // The spool is not closed, so the next opening is one after an unclean stop.
  }

  func drain() {
    var options = SpoolOptions(folder)
    options.maximumBytes = 1 << 34
    var spool = Spool(options, bootId: "probe", at: 0)
    spool.setWallTime(WallTime(offset: 1_795_219_200_000_000_000, quality: .ntp), at: 0)
    var batch = RecordBatch()
    var (count, now) = (0, 1 as Int64)
    let start = Self.now
    while true {
      spool.nextBatch(for: 0, at: now, into: &batch)
      guard !batch.isEmpty else { break }
      spool.acknowledge(batch, by: 0)
      count += batch.records.count
      now += 50_000_000
      spool.advance(to: now)
    }
    let elapsed = Self.now - start
    spool.close(at: now)
    printLine("records=\(count) seconds=\(Self.text(elapsed)) perSecond=\(Int(Double(count) / elapsed)) \(Self.memory)")
  }

  private static var now: Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func text(_ number: Double) -> String { "\(Double(Int(number * 1_000)) / 1_000)" }

  /// The lines of /proc/self/status about resident memory.
  private static var memory: String {
    let descriptor = unsafe Glibc.open("/proc/self/status", O_RDONLY)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    let lines = String(decoding: bytes[..<max(count, 0)], as: UTF8.self).split(separator: "\n")
    return lines.filter { $0.hasPrefix("VmRSS") || $0.hasPrefix("VmHWM") || $0.hasPrefix("RssAnon") }
      .map { $0.filter { $0 != " " && $0 != "\t" } }.joined(separator: " ")
  }
}
