/// Listens to a device that nothing may be sent to, for ``Listener/patience``: NMEA sentences make it a GPS receiver.
///
/// While nothing comes, the rate does not matter. Once bytes come that make no sentence, the next rate is tried: a
/// receiver's second of output is long enough for several.
public struct Listener: PortHandler, ~Copyable {
  /// What came.
  public enum Heard: Hashable, Sendable {
    case nothing
    /// Whole NMEA sentences with right checksums, at this rate.
    case sentences(baud: Int)
    /// Bytes that make no sentence.
    case otherBytes
  }

  /// Two seconds: receivers speak every second.
  public static let patience: Int64 = 2_000_000_000
  /// So much longer once bytes have come that made no sentence yet.
  private static let grace: Int64 = 2_000_000_000
  /// The rates that receivers are sold with, most frequent first.
  public static let rates = [9_600, 4_800, 38_400, 115_200]
  /// A sentence has 82 characters at most (NMEA 0183, 5.3); listening begins within one: two of them without a whole
  /// one are not NMEA at this rate.
  private static let enough = 2 * 82

  private var sentence = SentenceEar()
  private var rate = 0
  private var bytesAtRate = 0
  private var isExtended = false
  /// Rates in a row that the driver could not make.
  private var refusals = 0

  /// What has been heard so far.
  public private(set) var heard = Heard.nothing

  public init() {}

  public mutating func opened(at now: Int64, _ actions: inout PortActions) {
    actions.setBaud(Listener.rates[0])
    actions.deadline = now + Listener.patience
  }

  public mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    refusals = 0
    if heard == .nothing { heard = .otherBytes }
    if !isExtended {
      isExtended = true
      actions.deadline = (actions.deadline ?? now) + Listener.grace
    }
    for index in bytes.indices where sentence.hears(bytes[index]) {
      heard = .sentences(baud: Listener.rates[rate])
      actions.stop()
      return
    }
    bytesAtRate += bytes.count
    guard bytesAtRate >= Listener.enough else { return }
    tryNextRate(&actions)
  }

  private mutating func tryNextRate(_ actions: inout PortActions) {
    bytesAtRate = 0
    sentence = SentenceEar()
    rate = (rate + 1) % Listener.rates.count
    actions.setBaud(Listener.rates[rate])
  }

  public mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool {
    refusals += 1
    guard refusals < Listener.rates.count else { return false }
    tryNextRate(&actions)
    return true
  }

  public mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) { actions.stop() }

  public mutating func wokenUp(at now: Int64, _ actions: inout PortActions) { actions.stop() }
}

extension Listener {
  /// Opens a line, listens to it, closes it: at most five seconds, and nothing is written.
  ///
  /// - Parameter wakeUp: when this is signalled, listening ends with what was heard so far.
  /// - Throws: ``PortError`` where the line cannot be opened, or goes meanwhile.
  public static func listen(to path: String, unless wakeUp: WakeUp) throws(PortError) -> Heard {
    var port = SerialPort(path: path, baud: rates[0])
    var loop = try PortLoop(wakeUp: wakeUp)
    var listener = Listener()
    try port.open()
    try loop.run(&port, &listener)
    return listener.heard
  }
}

/// Finds one whole NMEA 0183 sentence in a stream of bytes.
///
///     $GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76
struct SentenceEar {
  private enum State: Equatable {
    case outside
    case inside
    case firstDigit
    case secondDigit
  }
  private var state = State.outside
  private var sum: UInt8 = 0
  private var claimed: UInt8 = 0
  private var length = 0

  /// True for the byte that ends a sentence whose checksum is right.
  mutating func hears(_ byte: UInt8) -> Bool {
    length += 1
    if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") {
      self = SentenceEar()
      state = .inside
      return false
    }
    switch state {
    case .outside: return false
    case .inside:
      if byte == UInt8(ascii: "*") {
        // An address and a field at least: shorter ones turn up by chance.
        state = length >= 7 ? .firstDigit : .outside
      } else if (0x20...0x7E).contains(byte) {
        sum ^= byte
      } else {
        state = .outside
      }
      return false
    case .firstDigit, .secondDigit:
      guard let digit = SentenceEar.value(byte) else {
        state = .outside
        return false
      }
      claimed = claimed << 4 | digit
      let isDone = state == .secondDigit
      state = isDone ? .outside : .secondDigit
      return isDone && claimed == sum
    }
  }

  private static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
