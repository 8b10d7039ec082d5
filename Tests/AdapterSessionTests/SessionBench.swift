import OBDWire
import Testing

@testable import AdapterSession

/// Stores the results of the session's reader.
struct Recorder: ReplyHandler {
  struct Value: Equatable {
    var service: UInt8
    var identifier: UInt16
    var value: Double
    var ecu: UInt32
  }

  var values: [Value] = []
  var failures: [WireError.Kind] = []
  var codes: [(kind: TroubleCodeList.Kind, count: Int)] = []
  var vins: [String] = []

  mutating func reading(_ reading: Reading) {
    values.append(
      Value(
        service: reading.service, identifier: reading.identifier, value: reading.value, ecu: reading.origin.ecu.value))
  }
  mutating func failure(_ error: WireError, line: Span<UInt8>) { failures.append(error.kind) }
  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    self.codes.append((list.kind, codes.count))
  }
  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) {
    guard text.kind == .vin else { return }
    vins.append(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self))
  }
}

/// Runs a session with an adapter on a virtual clock, so that minutes pass in milliseconds.
///
/// Every byte that the session sends is checked: only commands for the adapter and services that only read are allowed.
final class SessionBench {
  static let millisecond: Int64 = 1_000_000
  static let second: Int64 = 1_000_000_000

  var session: AdapterSession
  var recorder = Recorder()
  let adapter: TinyAdapter
  /// The time is not 0 at the start, because a machine runs for a while before a session begins.
  var now: Int64 = 1000 * second
  var sent: [(at: Int64, text: String)] = []
  var events: [SessionEvent] = []
  var eventTimes: [Int64] = []
  var bauds: [Int] = []
  var reopenings = 0
  /// Number of times that the session asked to be called again later.
  var waits = 0
  /// Whether service 04 is allowed.
  var mayClear = false
  /// Whether the codes that were read can be saved.
  var savesCodes = true
  /// Whether ATBRD is allowed, and the CR that follows it.
  var mayChangeBaud = false
  /// Whether the port claims to have changed its speed, but did not.
  var keepsBaud = false
  /// The highest speed that the driver of the port supports.
  var highestBaud = Int.max
  /// Whether the port is opened again when the session requests it.
  var reopens = true
  private var chunks: [TinyAdapter.Chunk] = []
  private var opensAt: Int64?
  private var isRefused = false

  init(
    _ adapter: TinyAdapter, _ configuration: SessionConfiguration = SessionConfiguration(),
    preferences: PollPreferences = PollPreferences(), memory: SessionMemory = SessionMemory(), opens: Bool = true
  ) {
    self.adapter = adapter
    session = AdapterSession(configuration, preferences: preferences, memory: memory)
    if opens { session.opened(at: now) }
  }

  var commands: [String] { sent.map(\.text) }
  var requests: [String] { commands.filter { !$0.hasPrefix("AT") && !$0.hasPrefix("ST") } }

  var isConnected: Bool { session.isConnected }
  var isAsleep: Bool { session.isAsleep }
  var identity: String { session.identityString }

  /// Adds a signal set's request.
  @discardableResult func add(_ row: AddressedRequest) -> Bool { session.add(row) }

  /// The commands that were sent since a time.
  func commands(since time: Int64) -> [String] { sent.filter { $0.at >= time }.map(\.text) }

  /// Makes the adapter send bytes without a command.
  func inject(_ text: String, after delay: Int64 = 0) {
    chunks.append(TinyAdapter.Chunk(at: now + delay, bytes: Array(text.utf8)))
    sortChunks()
  }

  func close() {
    chunks = []
    session.closed(at: now)
  }

  /// Advances the clock by a number of seconds, or until `isDone` returns `true`.
  func run(seconds: Double, until isDone: ((SessionBench) -> Bool)? = nil) {
    let end = now + Int64(seconds * 1e9)
    var steps = 0
    while now < end {
      if let isDone, isDone(self) { return }
      steps += 1
      guard steps < 3_000_000 else {
        Issue.record("the session does not come to rest")
        return
      }
      switch session.next(at: now, into: &recorder) {
      case .report(let event):
        events.append(event)
        eventTimes.append(now)
        if event == .codesRead, savesCodes { session.codesAreSaved() }
      case .send(let command): send(command)
      case .setBaud(let baud):
        bauds.append(baud)
        isRefused = baud > highestBaud
        if !keepsBaud, !isRefused { adapter.hostBaud = baud }
      case .reopen(let time):
        reopenings += 1
        chunks = []
        if reopens { opensAt = max(time, now) }
      case .wait(let until):
        guard !isRefused else {
          isRefused = false
          session.rateRefused(at: now)
          continue
        }
        waits += 1
        pass(to: min(until, end))
      }
    }
  }

  private func send(_ command: Command) {
    // At a speed that the line does not support, nothing is sent.
    if isRefused { return }
    let bytes = command.bytes.indices.map { command.bytes[$0] }
    let text = String(decoding: bytes.dropLast(), as: UTF8.self)
    sent.append((now, text))
    #expect(bytes.last == 0x0D && (bytes.count > 1 || adapter.awaitsConfirmation), "never an empty line")
    if !text.isEmpty { check(text) }
    let answer = adapter.receive(bytes, at: now)
    chunks.append(contentsOf: answer)
    sortChunks()
  }

  /// Sorts by time. Chunks of the same time stay in the order in which they were made.
  private func sortChunks() {
    let ordered = chunks.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
    chunks = ordered.map(\.element)
  }

  private func check(_ text: String) {
    if text.hasPrefix("AT") || text.hasPrefix("ST") {
      // Commands that send arbitrary bytes on the bus, or that write the adapter's memory.
      let isHarmless = ![
        "ATPP0", "ATPP1", "ATPP2", "ATPPFF", "ATCAF0", "ATWM", "ATSD", "STPX", "STP", "STWBR", "STSBR",
      ].contains {
        text.hasPrefix($0)
      }
      if ["ATBRD", "STBR"].contains(where: { text.hasPrefix($0) }) { #expect(mayChangeBaud, "\(text)") }
      #expect(isHarmless, "\(text)")
      return
    }
    let service = UInt8(text.prefix(2), radix: 16) ?? 0xFF
    let reads: Set<UInt8> = [0x01, 0x02, 0x03, 0x06, 0x07, 0x09, 0x0A, 0x19, 0x21, 0x22]
    #expect(reads.contains(service) || service == 0x04 && mayClear, "\(text) reached the bus")
  }

  private func pass(to time: Int64) {
    var next = time
    if let chunk = chunks.first { next = min(next, chunk.at) }
    if let opensAt { next = min(next, opensAt) }
    now = max(now, next)
    if let opensAt, now >= opensAt {
      self.opensAt = nil
      session.opened(at: now)
    }
    while let chunk = chunks.first, chunk.at <= now {
      chunks.removeFirst()
      // The chunk was sent at a speed other than that of the host, which then receives noise.
      let isHeard = chunk.baud == nil || chunk.baud == adapter.hostBaud
      let bytes = isHeard ? chunk.bytes : chunk.bytes.map { $0 ^ 0x95 | 0x80 }
      session.received(bytes.span, at: now, into: &recorder)
    }
  }
}

extension AdapterSession {
  /// The adapter's name.
  var identityString: String {
    var bytes: [UInt8] = []
    for i in identity.indices { bytes.append(identity[i]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Cars for the tests.
enum Cars {
  static let basicPIDs: [UInt8: [UInt8]] = [
    0x01: [0, 7, 0xE5, 0], 0x04: [0x40], 0x05: [0x7B], 0x0B: [0x22], 0x0C: [0x1A, 0xF8], 0x0D: [0x32], 0x0F: [0x41],
    0x11: [0x30], 0x1F: [0x01, 0x00], 0x2F: [0x80], 0x42: [0x35, 0x10], 0x46: [0x40],
  ]

  static var vin: [UInt8] { [1] + Array("1D4GP00R55B123456".utf8) }

  static func engine(_ address: String = "7E8") -> TinyAdapter.ECU {
    TinyAdapter.ECU(address: address, pids: basicPIDs, information: [0x02: vin])
  }

  static func gearbox(_ address: String = "7E9") -> TinyAdapter.ECU {
    TinyAdapter.ECU(address: address, pids: [0x01: [0, 4, 0, 0], 0x0C: [0x1A, 0xF0], 0x0D: [0x32]])
  }

  /// Preferences that poll six PIDs as fast as the link allows, and nothing else.
  static var six: PollPreferences {
    var preferences = PollPreferences()
    preferences.setOthersToNever()
    for pid in [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x11] as [UInt8] { preferences.set(pid, period: 0) }
    return preferences
  }
}
