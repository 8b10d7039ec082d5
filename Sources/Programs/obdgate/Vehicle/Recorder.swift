import AdapterSession
import CGateway
import Captures
import Fusion
import GatewayLinks
import GatewayOutput
import OBDWire
import Ports
import Telemetry

/// Polls a vehicle as the daemon does, and writes all bytes in both directions to a capture.
struct Recorder: PortHandler, ~Copyable {
  private var driver: AdapterDriver<RecordListener>
  private var writer = CaptureWriter()
  private var file: OutputStream
  /// The error that ended the output; `nil` if there was none.
  private var problem: (any Error)?
  private let started: Int64
  /// Time at which the recording ends, ns since boot; `.max` if it continues until SIGINT or SIGTERM.
  let end: Int64
  private let recorded: String?
  private var hasHeader = false
  /// Events before the adapter was identified. They are written later, because the file's header precedes them and
  /// contains the identification.
  private var early: [(CaptureDirection, Int64, [UInt8])] = []
  /// Whether a command was sent, but the prompt that follows its reply was not received yet.
  private var isMidReply = false
  /// Time until which the recording waits for the last reply, ns since boot; `nil` while the recording is not ending.
  /// When it is ending, nothing is sent.
  private var endingBy: Int64?
  private(set) var hasEnded = false
  private var bytes = 0
  private var nextFlush: Int64
  private var progress = ProgressLine()

  init(at address: PortAddress, into file: consuming OutputStream, nanoseconds: Int64?) {
    var configuration = SessionConfiguration()
    if case .serial(_, let baud) = address { configuration.transport = .serial(baud: baud) }
    driver = AdapterDriver(AdapterSession(configuration), RecordListener())
    self.file = file
    started = BootClock.now
    end = nanoseconds.map { BootClock.now + $0 } ?? .max
    let wall = MachineClock.read()
    recorded = wall.quality == .unset ? nil : String(latin1: Timestamp(nanoseconds: started + wall.offset).text.span)
    nextFlush = started
  }

  /// The earliest time at which the port may be opened again, ns since boot; `nil` if the session has not requested
  /// this.
  var reopenNotBefore: Int64? { driver.reopenNotBefore }

  mutating func opened(at now: Int64, _ actions: inout PortActions) {
    driver.opened(at: now, &actions)
    follow(at: now, &actions)
  }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    record(.fromAdapter, bytes, at: now)
    if bytes.count > 0, bytes[bytes.count - 1] == UInt8(ascii: ">") { isMidReply = false }
    if endingBy == nil { driver.received(bytes, at: now, &actions) }
    follow(at: now, &actions)
  }

  mutating func sent(_ bytes: Span<UInt8>, at now: Int64) {
    record(.toAdapter, bytes, at: now)
    isMidReply = true
  }

  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {
    if endingBy == nil { driver.deadlinePassed(at: now, &actions) }
    follow(at: now, &actions)
  }

  mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool {
    // The reply to the last command will not be received, because the port is opened again.
    isMidReply = false
    guard endingBy == nil else { return false }
    defer { follow(at: now, &actions) }
    return driver.rateRefused(baud, at: now, &actions)
  }

  mutating func wokenUp(at now: Int64, _ actions: inout PortActions) {
    if cgateway_is_ending() != 0 || cgateway_take_reload() != 0 { endingBy = endingBy ?? now + Self.lastReply }
    follow(at: now, &actions)
  }

  /// Time limit for the last reply, ns. The recording waits for it, so that the capture does not end within a reply.
  private static let lastReply: Int64 = 3_000_000_000

  private mutating func follow(at now: Int64, _ actions: inout PortActions) {
    if now >= end { endingBy = endingBy ?? now + Self.lastReply }
    if driver.listener.isFound, !hasHeader { writeHeader() }
    if now >= nextFlush {
      flush()
      progress.show("obdgate record: \(summary(at: now))")
      nextFlush = now + 1_000_000_000
    }
    let isIdle = !isMidReply && actions.unsent.count == 0
    if let endingBy, isIdle || now >= endingBy { hasEnded = true }
    if problem != nil || driver.listener.isHopeless { hasEnded = true }
    if hasEnded { actions.stop() }
    actions.deadline = min(actions.deadline ?? .max, endingBy ?? end, nextFlush)
  }

  // MARK: The file

  private mutating func record(_ direction: CaptureDirection, _ bytes: Span<UInt8>, at now: Int64) {
    self.bytes += bytes.count
    if hasHeader {
      writer.event(direction, at: now - started, bytes)
    } else {
      early.append((direction, now - started, bytes.indices.map { bytes[$0] }))
    }
  }

  private mutating func writeHeader() {
    hasHeader = true
    writer.header(
      adapter: String(latin1: driver.session.identity), recorded: recorded, provenance: "obdgate record \(Version.text)"
    )
    for (direction, time, bytes) in early { writer.event(direction, at: time, bytes.span) }
    early = []
  }

  private mutating func flush() {
    guard problem == nil, !writer.text.isEmpty else { return }
    // Copy the array first, because a span of a property would prevent changes of `self`.
    let text = writer.text
    do {
      try file.write(text.span)
      try file.flush()
    } catch {
      problem = error
    }
    writer.clear()
  }

  /// Writes the remaining events to the file.
  ///
  /// - Throws: an error if any part of the file could not be written.
  mutating func finish() throws {
    progress.end()
    if !hasHeader { writeHeader() }
    flush()
    if let problem { throw problem }
  }

  // MARK: Messages

  private func summary(at now: Int64) -> String {
    "\(bytes) bytes, \(driver.listener.replies) replies in \((now - started) / 1_000_000_000) s"
  }

  var summary: String { summary(at: BootClock.now) }

  /// The reason why nothing was recorded; `nil` if an adapter has answered.
  var nothingFound: String? {
    guard !driver.listener.isFound else { return nil }
    return driver.listener.loss?.adapterText ?? "no adapter answered in that time"
  }
}

/// Counts the replies of a recording, and remembers whether an adapter has answered.
struct RecordListener: DialogueListener, ~Copyable {
  private(set) var isFound = false
  private(set) var loss: LossReason?
  /// Number of prompts that were received.
  private(set) var replies = 0

  /// Whether the recording can be ended, because no adapter has answered since its start.
  var isHopeless: Bool { !isFound && loss != nil }

  mutating func begin(at now: Int64) {}

  mutating func event(_ event: SessionEvent, _ session: inout AdapterSession) {
    switch event {
    case .found: isFound = true
    case .lost(let reason): loss = reason
    default: break
    }
  }

  mutating func endOfReply(position: UInt64) { replies += 1 }

  // Readings are not used here, because a replay of the capture produces them.
  mutating func reading(_ reading: Reading) {}
  mutating func failure(_ error: WireError, line: Span<UInt8>) {}
}
