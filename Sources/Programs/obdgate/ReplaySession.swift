import Captures
import Fusion
import Geofencing
import NMEAWire
import OBDWire
import Telemetry

/// The time of a replay's events: nanoseconds from the capture's start.
struct ReplayClock {
  /// The log's first wall time, from which its others count.
  private var firstWall: Int64?
  private let nanosecondsPerByte: Double
  /// Bare bytes: each takes its time on the line.
  let isBytePaced: Bool
  /// Bytes of events that came without a time.
  private var untimedBytes = 0
  private(set) var now: Int64 = 0

  /// - Parameter baud: ten bits a byte (8N1).
  init(baud: Int, isBytePaced: Bool) {
    nanosecondsPerByte = 10e9 / Double(baud)
    self.isBytePaced = isBytePaced
  }

  /// Takes an event's time; in a log without times each event takes what its bytes need on the line.
  ///
  /// - Returns: the wall time of the capture's start, when this event tells it first.
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

  /// When the byte at a position of the stream was read.
  @inline(__always)
  func time(at position: UInt64) -> Int64 {
    isBytePaced ? Int64(Double(position) * nanosecondsPerByte) : now
  }
}

/// Takes what the readers find and gives it to the fusion with its time; counts what was wrong.
struct ReplaySession: ~Copyable, ReplyHandler, FixHandler {
  private var fusion: Fusion
  private var outputs: ReplayOutputs
  private var clock: ReplayClock
  /// Where the date is known from.
  private var timeSource = TimeSource.none
  /// A file of NMEA alone: the sentences' times are the only ones.
  private let isGPSPaced: Bool
  private var gpsTime = GPSTimeline()
  /// The log of a bus: the time that its lines would take at an adapter's baud rate is not the bus's.
  private let isBusLog: Bool
  /// The user named a period for records.
  private let hasPeriod: Bool
  /// An event came without a time, in a format that has them.
  private var isUntimed = false
  /// Readings, texts and lists of codes, fixes.
  private var findings = 0
  private var fences: FencePost?
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
    self.fences = fences.map { FencePost($0) }
  }

  consuming func release() -> ReplayOutputs { outputs }

  /// False once nobody reads the output any more.
  var goesOn: Bool { outputs.stop == nil }

  func elapsed(at position: UInt64) -> Int64 { isGPSPaced ? gpsTime.elapsed : clock.time(at: position) }

  /// Writes out what is finished; a failure shows in ``goesOn``.
  mutating func flush() { outputs.flushRecords() }

  mutating func setRecorded(_ recorded: Int64) {
    timeSource = .log
    fusion.setWallTime(offset: recorded, quality: .system)
  }

  /// An event comes: its time is now. The first one is where the records' periods are counted from.
  ///
  /// An epoch of the GPS that is complete by then is handed on first, so that it stands in the record of its own time.
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
        // Without times there are no seconds to count: a record for each round of readings.
        if !hasPeriod { fusion.setCadence(.cycle) }
      }
      fusion.begin(at: clock.now)
      // The time that bytes need on a line says nothing of how long a car has driven.
      if clock.isBytePaced || time == .none { fusion.distrustTimes(into: &outputs) }
    }
    guard !clock.isBytePaced, gpsTime.isOpen else { return }
    let silence = clock.now - gpsTime.lastArrival
    let isDue = direction != .fromGPS && clock.now >= fusion.nextBoundary
    if silence >= (isDue ? Self.sentenceGap : Self.epochSilence) { gps.flush(into: &self) }
  }

  /// A receiver sends an epoch in one burst; silence of this length ends it, also at 4800 baud, where a sentence takes
  /// up to 170 ms.
  private static let epochSilence: Int64 = 250_000_000
  /// When a record is due, an epoch counts as complete after this.
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
    // Where the log tells no date, the receiver's counts from its first fix on, and again where it has moved away from
    // the capture's times: an epoch's bytes come sooner or later in its second, which must not make the records' times
    // tremble.
    if timeSource != .log, fix.type != .none, let wall = gpsTime.wall(of: fix) {
      let offset = wall - (isGPSPaced ? time : first)
      if !timeSource.isGPS(within: Self.epochJitter, of: offset) {
        timeSource = .gps(offset)
        // A record that was due before the fix keeps the time it would have had without it.
        fusion.advance(to: time - 1, into: &outputs)
        fusion.setWallTime(offset: offset, quality: .gps)
      }
    }
    // In a receiver's own log each second's fix has a record of its own time.
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

  func sayTotals(of path: String) {
    let name = path == "-" ? "standard input" : path
    if isUntimed {
      let period = hasPeriod ? "" : "; a record for each round of readings (--every sets a period)"
      StandardError.say("obdgate replay: \(name): no times in it: elapsed is an estimate\(period)")
    }
    if findings == 0 {
      StandardError.say("obdgate replay: \(name): no readings, trouble codes or fixes in it")
    }
    if !wireKinds.isEmpty {
      let counts = wireKinds.map { "\(WireErrorText.name(of: $0)) \(wireErrors[Int($0.rawValue)])" }
      StandardError.say("obdgate replay: \(name): wire errors: \(counts.joined(separator: ", "))")
    }
    if !rejectReasons.isEmpty {
      let counts = rejectReasons.map { "\($0.name) \(rejected[Int($0.rawValue)])" }
      StandardError.say("obdgate replay: \(name): rejected NMEA sentences: \(counts.joined(separator: ", "))")
    }
  }
}

/// Where the date of a replay's records is known from.
private enum TimeSource: Equatable {
  case none
  /// The capture's header, or its events' own times.
  case log
  /// A receiver's fix: the capture's start was so many nanoseconds after 1970.
  case gps(Int64)

  func isGPS(within tolerance: Int64, of offset: Int64) -> Bool {
    guard case .gps(let known) = self else { return false }
    return abs(known - offset) < tolerance
  }
}

/// The time line that the sentences of a GPS receiver draw.
private struct GPSTimeline {
  private static let day: Int64 = 86_400_000_000_000

  /// When the first and the last sentence of the epoch under way came, on the capture's line.
  private(set) var firstArrival: Int64 = 0
  private(set) var lastArrival: Int64 = 0
  /// Sentences came whose epoch has not been handed on.
  private(set) var isOpen = false
  /// Nanoseconds from the first epoch with a time to the newest, over midnight.
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
      // Back by more than half a day is midnight; back by less is a receiver that corrected itself: time stands still.
      if step >= 0 { elapsed += step } else if step < -Self.day / 2 { elapsed += step + Self.day }
    }
    lastOfDay = ofDay
  }

  /// The fix's UTC time in nanoseconds since 1970; nil where the date is not known.
  func wall(of fix: Fix) -> Int64? {
    // ZDA has four digits for the year; those outside do not fit 64 bits of nanoseconds.
    guard let date = fix.date, let time = fix.time, (1980...2200).contains(date.year) else { return nil }
    let days = Timestamp.days(year: date.year, month: date.month, day: date.day)
    return Int64(days) * Self.day + Self.nanoseconds(time)
  }

  private static func nanoseconds(_ time: TimeOfDay) -> Int64 {
    Int64(time.secondOfDay) * 1_000_000_000 + Int64(time.nanosecond)
  }
}
