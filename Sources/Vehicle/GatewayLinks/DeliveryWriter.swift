import AdapterSession
import OBDWire
import Ports

/// Writes all events of a link's dialogue to a ring, which the record thread reads. It never waits.
struct DeliveryWriter: DialogueListener, ~Copyable {
  private var ring: RingProducer<LinkDelivery>
  /// Wakes the record thread if it must read the ring before the next record is due: an event occurred, or the ring is
  /// filling up.
  private let wakeUp: WakeUp
  private let control: AdapterControl
  private let figures: LinkFigures
  private var counts = LinkFigures.Counts()
  private var now: Int64 = 0
  private var isUrgent = false
  private var sinceWakeUp = 0
  /// Whether bytes were received since the link was opened.
  private var hasHeard = false
  /// Number of deliveries after which the record thread is woken up, long before the ring is full.
  private static let batch = LinkDelivery.ringCapacity / 4

  init(_ ring: consuming RingProducer<LinkDelivery>, wakeUp: WakeUp, control: AdapterControl, figures: LinkFigures) {
    self.ring = ring
    self.wakeUp = wakeUp
    self.control = control
    self.figures = figures
  }

  private mutating func put(_ content: LinkDelivery.Content) {
    ring.put(LinkDelivery(content, at: now))
    sinceWakeUp += 1
  }

  // MARK: The dialogue

  mutating func begin(at now: Int64) { self.now = now }

  mutating func event(_ event: SessionEvent, _ session: inout AdapterSession) {
    put(.event(event))
    // The last command before these events is not followed by a prompt.
    switch event {
    case .lost, .sleeping, .promptLost: counts.gaveUp(at: now)
    default: break
    }
    isUrgent = true
    control.remember(session.memory)
  }

  mutating func wokenUp(_ session: inout AdapterSession) -> Bool { control.perform(on: &session) }

  mutating func received(_ bytes: Span<UInt8>) {
    if !hasHeard {
      hasHeard = true
      control.link.answers()
    }
    counts.received(bytes, at: now)
  }

  mutating func sent(_ bytes: Span<UInt8>) { counts.sent(bytes, at: now) }

  mutating func end() -> Bool {
    if isUrgent || sinceWakeUp >= Self.batch {
      isUrgent = false
      sinceWakeUp = 0
      wakeUp.signal()
    }
    figures.put(counts)
    return true
  }

  /// Handles the opening of the link.
  mutating func opened(at time: Int64) {
    hasHeard = false
    counts.opened(at: time)
  }

  /// Handles the closing of the link.
  mutating func closed(at time: Int64) {
    counts.closed(at: time)
    figures.put(counts)
  }

  /// Writes to the ring that the link could not be opened.
  mutating func unreachable(_ kind: PortError.Kind, at time: Int64) {
    now = time
    put(.unreachable(kind))
    wakeUp.signal()
  }

  // MARK: The wire

  mutating func request(_ command: Span<UInt8>, position: UInt64) {
    // A command such as ATSP6 selects the bus. This protocol is used until the adapter reports one.
    guard command.count >= 5, command.count < 8, command[0] == UInt8(ascii: "A") else { return }
    put(.command(ShortText(command)))
  }

  mutating func reading(_ reading: Reading) {
    counts.readings &+= 1
    counts.lastReading = now
    put(.reading(reading))
  }

  mutating func text(_ text: TextReading, _ bytes: Span<UInt8>) {
    if text.kind != .other { put(.text(text, ShortText(bytes))) }
  }

  mutating func troubleCodes(_ list: TroubleCodeList, _ codes: Span<TroubleCode>) {
    put(.codes(list, count: UInt16(clamping: codes.count)))
    for index in codes.indices { put(.code(codes[index], left: UInt16(clamping: codes.count - index))) }
  }

  mutating func codesCleared(origin: Origin) { put(.codesCleared(origin)) }

  mutating func supported(_ bitmap: UInt32, service: UInt8, base: UInt16, origin: Origin) {
    put(.supported(bitmap: bitmap, service: service, base: base, origin))
  }

  mutating func adapter(_ answer: AdapterAnswer, _ bytes: Span<UInt8>, origin: Origin) {
    if answer != .other { put(.adapter(answer, ShortText(bytes))) }
  }

  mutating func failure(_ error: WireError, line: Span<UInt8>) {
    counts.failed(error.kind)
    put(.failure(error, ShortText(line)))
  }

  mutating func endOfReply(position: UInt64) { counts.replied() }
}
