import AdapterSession
import Fusion
import GatewayLinks
import GatewayOutput
import OBDWire
import Ports
import Telemetry

/// Collects the results of a dialogue until a question is answered, and makes records from them.
struct AnswerListener: DialogueListener, ~Copyable {
  private var fusion: Fusion
  private var lines: RecordLines
  private var now = BootClock.now

  private(set) var read = ParametersRead()
  /// The last voltage that the adapter has measured, V; `nil` if it has measured none.
  private(set) var voltage: Double?
  private(set) var wasFound = false
  private(set) var wasConnected = false
  /// The reason why no readings are received now; `nil` while readings are received or the session searches.
  private(set) var loss: LossReason?
  /// Time at which readings were no longer received, ns since boot; `nil` if ``loss`` is `nil`.
  private(set) var lostAt: Int64?
  private(set) var isJ1939 = false
  /// Whether all data that would be erased with the trouble codes have been read.
  private(set) var areCodesRead = false
  private(set) var isCleared = false
  private(set) var refusal: ClearRefusal?
  /// The kind of error in the last damaged reply to a request for the VIN; `nil` if no reply was damaged.
  private(set) var vinDamage: WireError.Kind?
  private var isAskedForVIN = false

  /// Creates a listener.
  ///
  /// - Parameter answers: types of the records that are printed.
  init(answers: Set<String>) {
    lines = RecordLines(answers)
    var random = SystemRandomNumberGenerator()
    let wall = MachineClock.read()
    let epoch = UUIDv7(
      milliseconds: UInt64(clamping: wall.now / 1_000_000), first: random.next(), rest: random.next())
    var options = FusionOptions(gatewayId: "obdgate", epoch: epoch, idSeed: random.next())
    // No telemetry record may become due at a fixed time, because records are made only when the answer is complete.
    options.cadence = .every(nanoseconds: 86_400_000_000_000)
    fusion = Fusion(options)
    fusion.setWallTime(offset: wall.offset, quality: wall.quality)
  }

  /// Makes records of all data that were read since the last call, and returns them.
  mutating func makeRecords() -> [FinishedRecord] {
    // For Fusion, each call is the end of a session. Fusion does not report values again if they have not changed.
    fusion.finish(at: now, into: &lines)
    return lines.popAll()
  }

  /// Makes a record with the given body, and returns it.
  mutating func makeRecord(_ body: some RecordBody) -> [FinishedRecord] {
    fusion.record(body, at: now, into: &lines)
    return lines.popAll()
  }

  /// Forgets which parameters were read, so that the query waits until they are read again.
  mutating func forgetParameters(at now: Int64) {
    read = ParametersRead()
    read.runningSince = now
  }

  // MARK: The dialogue

  mutating func begin(at now: Int64) { self.now = now }

  mutating func event(_ event: SessionEvent, _ session: inout AdapterSession) {
    switch event {
    case .found:
      wasFound = true
      loss = nil
      lostAt = nil
    case .connected, .recovered:
      wasConnected = true
      loss = nil
      lostAt = nil
    case .lost(let reason):
      loss = reason
      lostAt = now
    case .supportKnown: if read.runningSince == nil { read.runningSince = now }
    case .notPolledJ1939: isJ1939 = true
    case .codesRead: areCodesRead = true
    case .codesCleared: isCleared = true
    case .clearRefused(let reason): refusal = reason
    default: break
    }
  }

  // MARK: The wire

  mutating func request(_ command: Span<UInt8>, position: UInt64) {
    // Request 0900 asks whether the VIN is supported, and request 0902 asks for the VIN.
    isAskedForVIN = ["0900", "0902"].contains { name in
      command.count >= 4 && name.utf8.elementsEqual((0..<4).map { command[$0] })
    }
    fusion.command(command)
  }

  mutating func reading(_ reading: Reading) {
    read.record(reading)
    // Service 0 is the adapter itself. It measures only its supply voltage.
    if reading.service == 0 { voltage = reading.value }
    fusion.reading(reading, at: now, into: &lines)
  }

  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) { fusion.text(text, bytes, at: now, into: &lines) }

  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    fusion.troubleCodes(list, codes, at: now, into: &lines)
  }

  mutating func codesCleared(origin: Origin) { fusion.codesCleared(origin: origin, at: now, into: &lines) }

  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    fusion.supported(bitmap, service: service, base: base, origin: origin, at: now, into: &lines)
  }

  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin) {
    fusion.adapter(answer, bytes, at: now, into: &lines)
  }

  /// Handles an error in a reply. The session repeats the request. If all attempts fail, the answer does not contain
  /// the value.
  mutating func failure(_ error: WireError, line: Span<UInt8>) {
    switch error.kind {
    // These are not damaged replies: no ECU has answered, or the request is not supported.
    case .noData, .negativeResponse, .unknownCommand: break
    default: if isAskedForVIN { vinDamage = error.kind }
    }
  }
}

extension MachineClock {
  /// The current time, ns since 1970.
  var now: Int64 { BootClock.now + offset }
}

/// Collects records. The printed records have consecutive sequence numbers, because no `gap` record would explain
/// missing numbers.
private struct RecordLines: RecordSink {
  private let printed: Set<String>
  private var sequence = 0
  private var lines: [FinishedRecord] = []

  init(_ printed: Set<String>) { self.printed = printed }

  mutating func record(_ line: Span<UInt8>) {
    var record = FinishedRecord(line)
    if printed.contains(record.type) {
      sequence += 1
      record = record.numbered(sequence)
    }
    lines.append(record)
  }

  mutating func popAll() -> [FinishedRecord] {
    defer { lines = [] }
    return lines
  }
}
