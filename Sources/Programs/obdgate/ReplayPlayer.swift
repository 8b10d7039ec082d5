import Captures
import Fusion
import Glibc
import NMEAWire
import OBDWire
import SignalSets
import Telemetry

/// Plays the events of one capture. Their bytes are passed to the readers. The results of the readers are passed to
/// `Fusion`, with their times.
struct ReplayPlayer: ~Copyable, CaptureConsumer {
  private var replies = ReplyReader()
  private var fixes = FixReader()
  private var session: ReplaySession
  private let definitions: [SignalDefinition]
  private let format: CaptureFormat
  private let speed: ReplaySpeed
  private var command: [UInt8] = []
  private var hasAdapterBytes = false
  private var started: timespec?

  init(
    fusion: consuming Fusion, outputs: consuming ReplayOutputs, options: ReplayOptions, format: CaptureFormat
  ) {
    definitions = options.loaded?.definitions ?? []
    self.format = format
    speed = options.speed
    session = ReplaySession(
      fusion: fusion, outputs: outputs, clock: ReplayClock(baud: options.baud, isBytePaced: !format.hasEvents),
      isGPSPaced: format == .nmea, isBusLog: format == .candump, hasPeriod: options.period != nil,
      fences: options.fences)
    command.reserveCapacity(128)
  }

  /// Ends the player. Returns its outputs, which the next capture uses.
  consuming func release() -> ReplayOutputs { session.release() }

  mutating func header(
    recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>
  ) {
    if let recorded { session.setRecorded(recorded) }
  }

  mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>) {
    guard session.continues else { return }
    if case .times(let factor) = speed {
      paced(direction, time, bytes, factor)
    } else {
      deliver(direction, time, bytes)
    }
  }

  /// Passes the bytes of an event to the readers when they are due. If a transcript has no times, its bytes are passed
  /// in pieces of up to 64 bytes, and a time is calculated for each piece.
  private mutating func paced(
    _ direction: CaptureDirection, _ time: CaptureTime, _ bytes: Span<UInt8>, _ factor: Double
  ) {
    if format.hasEvents {
      session.arrive(at: time, direction, count: bytes.count, gps: &fixes)
      pause(factor)
      feed(direction, bytes)
      return
    }
    var first = 0
    while first < bytes.count, session.continues {
      let end = min(first + 64, bytes.count)
      deliver(direction, time, bytes.extracting(first..<end))
      pause(factor)
      first = end
    }
  }

  /// Writes the finished records, and waits until the time of the current event.
  private mutating func pause(_ factor: Double) {
    session.flush()
    wait(until: Double(session.elapsed(at: replies.position)) / 1e9 / factor)
  }

  private mutating func wait(until seconds: Double) {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    guard let started else {
      self.started = now
      return
    }
    let due = Double(started.tv_sec) + Double(started.tv_nsec) / 1e9 + seconds
    var until = timespec(tv_sec: Int(due), tv_nsec: Int((due - due.rounded(.down)) * 1e9))
    // If a signal has interrupted the wait, continue it. A signal that ends the program does not return here.
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil) == EINTR {}
  }

  private mutating func deliver(_ direction: CaptureDirection, _ time: CaptureTime, _ bytes: Span<UInt8>) {
    session.arrive(at: time, direction, count: bytes.count, gps: &fixes)
    feed(direction, bytes)
  }

  private mutating func feed(_ direction: CaptureDirection, _ bytes: Span<UInt8>) {
    switch direction {
    case .fromAdapter:
      hasAdapterBytes = true
      let definitions = definitions
      replies.receive(bytes, loaded: definitions.span, into: &session)
    case .toAdapter: send(bytes)
    case .fromGPS: fixes.receive(bytes, into: &session)
    }
  }

  /// Passes to the reader the bytes that were sent to the adapter. A command ends with CR; a log may have it in several
  /// pieces.
  private mutating func send(_ bytes: Span<UInt8>) {
    hasAdapterBytes = true
    let definitions = definitions
    for i in bytes.indices {
      let byte = bytes[i]
      if byte == 0x0D || byte == 0x0A {
        let whole = command
        if !whole.isEmpty { replies.sent(whole.span, loaded: definitions.span, into: &session) }
        command.removeAll(keepingCapacity: true)
      } else if command.count < 4096 {
        command.append(byte)
      }
    }
  }

  /// Ends the capture, and makes the last records.
  ///
  /// - Returns: whether the capture ends within a reply. It is always `false` if the format of the capture does not
  ///   store the adapter's prompts.
  mutating func finish() -> Bool {
    let keepsPrompts =
      switch format {
      case .raw, .capture, .socat, .obd2raw: true
      default: false
      }
    let isCut = keepsPrompts && hasAdapterBytes && replies.isMidReply
    let definitions = definitions
    replies.finish(loaded: definitions.span, into: &session)
    fixes.finish(into: &session)
    session.finish(at: replies.position)
    return isCut
  }

  func printTotals(of path: String) { session.printTotals(of: path) }
}
