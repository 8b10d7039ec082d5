import Captures
import CommandLineSupport
import Fusion
import Geofencing
import NMEAWire
import OBDWire
import Telemetry

/// Computes the time of each event of a replay, in ns since the start of the capture.
struct ReplayClock {
  /// The first time with a date in the capture, ns since 1970; `nil` before it. Later times are measured from it.
  private var firstWall: Int64?
  private let nanosecondsPerByte: Double
  /// Whether times are calculated from the number of bytes and the baud rate, because the capture has no times.
  let isBytePaced: Bool
  /// Number of bytes in the events without a time.
  private var untimedBytes = 0
  private(set) var now: Int64 = 0

  /// Creates a clock.
  ///
  /// - Parameter baud: the baud rate. Each byte takes ten bits (8N1).
  init(baud: Int, isBytePaced: Bool) {
    nanosecondsPerByte = 10e9 / Double(baud)
    self.isBytePaced = isBytePaced
  }

  /// Advances the clock to the time of an event. An event without a time takes as long as its bytes take at the baud
  /// rate.
  ///
  /// - Returns: the date and time of the event, ns since 1970, if it is the first event with a date; otherwise `nil`.
  mutating func arrive(_ time: CaptureTime, count: Int) -> Int64? {
    switch time {
    case .none:
      if !isBytePaced {
        untimedBytes += count
        now = max(now, Int64(Double(untimedBytes) * nanosecondsPerByte))
      }
      return nil
    case .offset(let nanoseconds):
      now = max(now, nanoseconds)
      return nil
    case .wall(let nanoseconds):
      if let firstWall {
        now = max(now, nanoseconds - firstWall)
        return nil
      }
      firstWall = nanoseconds
      return nanoseconds
    }
  }

  /// Returns the time at which the byte at a position in the stream was read.
  @inline(__always)
  func time(at position: UInt64) -> Int64 {
    isBytePaced ? Int64(Double(position) * nanosecondsPerByte) : now
  }
}

/// Passes the results of the readers to `Fusion`, with their times, and counts errors.
struct ReplaySession: ~Copyable, ReplyHandler, FixHandler {
  private var fusion: Fusion
  private var outputs: ReplayOutputs
  private var clock: ReplayClock
  /// The source of the date in records.
  private var timeSource = TimeSource.none
  /// Whether the capture contains only NMEA. In this case, all times come from its sentences.
  private let isGPSPaced: Bool
  private var gpsTime = GPSTimeline()
  /// Whether the capture is a log of a bus, and not of an adapter. Times that are calculated from the baud rate are
  /// then wrong.
  private let isBusLog: Bool
  /// Whether the user has selected when telemetry records are written.
  private let hasPeriod: Bool
  /// Whether an event of a bus log had no time.
  private var isUntimed = false
  /// Number of results: readings, texts, lists of codes and fixes.
  private var findings = 0
  private var fences: GeofenceRecorder?
  private var wireErrors = [Int](repeating: 0, count: 64)
  private var wireKinds: [WireError.Kind] = []
  private var rejected = [Int](repeating: 0, count: 64)
  private var rejectReasons: [RejectReason] = []

  init(
    fusion: consuming Fusion, outputs: consuming ReplayOutputs, clock: ReplayClock, isGPSPaced: Bool, isBusLog: Bool,
    hasPeriod: Bool, fences: FenceSet?
  ) {
    self.fusion = fusion
    self.outputs = outputs
    self.clock = clock
    self.isGPSPaced = isGPSPaced
    self.isBusLog = isBusLog
    self.hasPeriod = hasPeriod
    self.fences = fences.map { GeofenceRecorder($0) }
  }

  consuming func release() -> ReplayOutputs { outputs }

  /// Whether records can still be written; `false` after an error.
  var continues: Bool { outputs.stop == nil }

  func elapsed(at position: UInt64) -> Int64 { isGPSPaced ? gpsTime.elapsed : clock.time(at: position) }

  /// Writes the finished records. If this fails, ``continues`` becomes `false`.
  mutating func flush() { outputs.flushRecords() }

  mutating func setRecorded(_ recorded: Int64) {
    timeSource = .log
    fusion.setWallTime(offset: recorded, quality: .system)
  }

  /// Advances to the time of an event. The first event begins the first period of records.
  ///
  /// If a GPS epoch is complete at that time, it is processed first, so that its values are in the record for the time
  /// at which they were measured.
  mutating func arrive(
    at time: CaptureTime, _ direction: CaptureDirection, count: Int, gps: inout FixReader
  ) {
    if let wall = clock.arrive(time, count: count), timeSource == .none {
      timeSource = .log
      fusion.setWallTime(offset: wall, quality: .system)
    }
    if !isGPSPaced {
      if time == .none, isBusLog, !isUntimed {
        isUntimed = true
        // Without times, records cannot be written once a second. Write one for each polling cycle instead.
        if !hasPeriod { fusion.setCadence(.cycle) }
      }
      fusion.begin(at: clock.now)
      // Calculated times contain only the transfer times of the bytes. Therefore, they must not be used as driving
      // times.
      if clock.isBytePaced || time == .none { fusion.distrustTimes(into: &outputs) }
    }
    guard !clock.isBytePaced, gpsTime.isOpen else { return }
    let silence = clock.now - gpsTime.lastArrival
    let isDue = direction != .fromGPS && clock.now >= fusion.nextBoundary
    if silence >= (isDue ? Self.sentenceGap : Self.epochSilence) { gps.flush(into: &self) }
  }

  /// Silence after which the receiver's current epoch is complete, ns. A receiver sends all sentences of an epoch
  /// without a pause, and a sentence takes at most 170 ms at 4800 baud.
  private static let epochSilence: Int64 = 250_000_000
  /// Silence after which an epoch is complete if a record is due, ns.
  private static let sentenceGap: Int64 = 20_000_000

  mutating func finish(at position: UInt64) {
    fusion.finish(at: elapsed(at: position), into: &outputs)
  }

  // MARK: Replies

  mutating func request(_ command: Span<UInt8>, position: UInt64) { fusion.command(command) }
  mutating func reading(_ reading: Reading) {
    findings += 1
    fusion.reading(reading, at: clock.time(at: reading.origin.position), into: &outputs)
  }
  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) {
    findings += 1
    fusion.text(text, bytes, at: clock.time(at: text.origin.position), into: &outputs)
  }
  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    findings += 1
    fusion.troubleCodes(list, codes, at: clock.time(at: list.origin.position), into: &outputs)
  }
  mutating func codesCleared(origin: Origin) {
    findings += 1
    fusion.codesCleared(origin: origin, at: clock.time(at: origin.position), into: &outputs)
  }
  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    fusion.supported(
      bitmap, service: service, base: base, origin: origin, at: clock.time(at: origin.position), into: &outputs)
  }
  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin) {
    fusion.adapter(answer, bytes, at: clock.time(at: origin.position), into: &outputs)
  }
  mutating func failure(_ error: WireError, line: Span<UInt8>) {
    if wireErrors[Int(error.kind.rawValue)] == 0 { wireKinds.append(error.kind) }
    wireErrors[Int(error.kind.rawValue)] += 1
    outputs.failure(error, line, elapsed: clock.time(at: error.origin.position))
  }

  // MARK: GPS

  mutating func accepted(_ kind: SentenceKind) { gpsTime.sentence(at: clock.now) }

  mutating func fix(_ fix: Fix) {
    findings += 1
    let first = gpsTime.firstArrival
    gpsTime.epoch(fix)
    let time = isGPSPaced ? gpsTime.elapsed : gpsTime.lastArrival
    // If the capture has no date, the date comes from the receiver: first from its first fix, and again if the
    // receiver's time differs from the capture's times by more than a tolerance. Smaller differences are ignored. They
    // occur because the sentences of an epoch arrive at varying times within a second.
    if timeSource != .log, fix.type != .none, let wall = gpsTime.wall(of: fix) {
      let offset = wall - (isGPSPaced ? time : first)
      if !timeSource.isGPS(within: Self.epochJitter, of: offset) {
        timeSource = .gps(offset)
        // Records that were due before this fix must not get a date from it.
        fusion.advance(to: time - 1, into: &outputs)
        fusion.setWallTime(offset: offset, quality: .gps)
      }
    }
    // If the capture contains only NMEA, each fix has its own time in a record.
    if isGPSPaced { fusion.begin(at: time) }
    fusion.fix(fix, at: time, into: &outputs)
    let speed = fusion.vehicleSpeed(at: time)
    fences?.fix(fix, at: time, vehicleSpeed: speed, fusion: &fusion, into: &outputs)
    if fix.latitude != nil, let fences = fences.take() {
      fusion.setFenceLimit(fences.speedLimit)
      self.fences = consume fences
    }
  }

  private static let epochJitter: Int64 = 1_000_000_000

  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {
    if rejected[Int(reason.rawValue)] == 0 { rejectReasons.append(reason) }
    rejected[Int(reason.rawValue)] += 1
  }

  // MARK: Totals

  func printTotals(of path: String) {
    let name = path == "-" ? "standard input" : path
    if isUntimed {
      let period = hasPeriod ? "" : "; a record for each round of readings (--every sets a period)"
      StandardError.print("obdgate replay: \(name): no times in it: elapsed is an estimate\(period)")
    }
    if findings == 0 {
      StandardError.print("obdgate replay: \(name): no readings, trouble codes or fixes in it")
    }
    if !wireKinds.isEmpty {
      let counts = wireKinds.map { "\(WireErrorText.name(of: $0)) \(wireErrors[Int($0.rawValue)])" }
      StandardError.print("obdgate replay: \(name): wire errors: \(counts.joined(separator: ", "))")
    }
    if !rejectReasons.isEmpty {
      let counts = rejectReasons.map { "\($0.name) \(rejected[Int($0.rawValue)])" }
      StandardError.print("obdgate replay: \(name): rejected NMEA sentences: \(counts.joined(separator: ", "))")
    }
  }
}

/// The source of the date in the records of a replay.
private enum TimeSource: Equatable {
  case none
  /// The date is from the capture: from its header, or from the times of its events.
  case log
  /// The date is from a receiver's fix. The value is the time at which the capture began, ns since 1970, as computed
  /// from the fix.
  case gps(Int64)

  func isGPS(within tolerance: Int64, of offset: Int64) -> Bool {
    guard case .gps(let known) = self else { return false }
    return abs(known - offset) < tolerance
  }
}

/// Computes times from the sentences of a GPS receiver.
private struct GPSTimeline {
  private static let day: Int64 = 86_400_000_000_000

  /// Time at which the first sentence of the current epoch arrived, ns since the start of the capture.
  private(set) var firstArrival: Int64 = 0
  /// Time at which the last sentence of the current epoch arrived, ns since the start of the capture.
  private(set) var lastArrival: Int64 = 0
  /// Whether some sentences of the current epoch have arrived, and the epoch is not complete.
  private(set) var isOpen = false
  /// Time from the first epoch with a time to the latest epoch, ns. It continues to increase at midnight.
  private(set) var elapsed: Int64 = 0
  private var lastOfDay: Int64?

  mutating func sentence(at time: Int64) {
    if !isOpen { firstArrival = time }
    lastArrival = time
    isOpen = true
  }

  mutating func epoch(_ fix: Fix) {
    isOpen = false
    guard let time = fix.time else { return }
    let ofDay = Self.nanoseconds(time)
    if let lastOfDay {
      let step = ofDay - lastOfDay
      // If the time of day decreases by more than half a day, midnight has passed. If it decreases by less, the
      // receiver has corrected its time, and the step is ignored.
      if step >= 0 { elapsed += step } else if step < -Self.day / 2 { elapsed += step + Self.day }
    }
    lastOfDay = ofDay
  }

  /// Returns the UTC time of a fix, ns since 1970; `nil` if the date is unknown.
  func wall(of fix: Fix) -> Int64? {
    // The sentence ZDA can contain any year of four digits. Years outside this range are rejected, because 64-bit
    // nanoseconds cannot represent all of them.
    guard let date = fix.date, let time = fix.time, (1980...2200).contains(date.year) else { return nil }
    let days = Timestamp.days(year: date.year, month: date.month, day: date.day)
    return Int64(days) * Self.day + Self.nanoseconds(time)
  }

  private static func nanoseconds(_ time: TimeOfDay) -> Int64 {
    Int64(time.secondOfDay) * 1_000_000_000 + Int64(time.nanosecond)
  }
}
