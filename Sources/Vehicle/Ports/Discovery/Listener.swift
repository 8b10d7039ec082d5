/// Listens to a device for ``patience`` without sending anything, to detect a GPS receiver by its NMEA sentences.
///
/// While no bytes arrive, the baud rate does not matter. If bytes arrive that do not form a sentence, the next baud
/// rate is tried. A receiver sends enough bytes in one second to try several rates.
public struct Listener: PortHandler, ~Copyable {
  /// The result of listening.
  public enum Result: Hashable, Sendable {
    case nothing
    /// A complete NMEA sentence with a correct checksum was received at this baud rate.
    case sentences(baud: Int)
    /// Bytes were received, but they form no sentence.
    case otherBytes
  }

  /// Time for which to listen, ns. It is long enough, because receivers send every second.
  public static let patience: Int64 = 2_000_000_000
  /// Additional time for which to listen if bytes arrive that do not form a sentence at first, ns.
  private static let grace: Int64 = 2_000_000_000
  /// The baud rates of most receivers, most common first.
  public static let rates = [9_600, 4_800, 38_400, 115_200]
  /// If this many bytes contain no sentence, the baud rate is wrong. A sentence has at most 82 characters (NMEA 0183,
  /// 5.3), so twice as many characters contain a complete sentence.
  private static let enough = 2 * 82

  private var sentence = SentenceDetector()
  private var rate = 0
  private var bytesAtRate = 0
  private var isExtended = false
  /// Number of baud rates in a row that the driver did not support.
  private var refusals = 0

  /// The result so far.
  public private(set) var heard = Result.nothing

  /// Creates a listener for one device.
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
    for index in bytes.indices where sentence.completesSentence(bytes[index]) {
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
    sentence = SentenceDetector()
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
  /// Opens a serial port, listens, and closes the port. This takes at most five seconds. Nothing is written to the
  /// device.
  ///
  /// - Parameters:
  ///   - path: device file.
  ///   - wakeUp: ends listening early when it is signalled. The result so far is then returned.
  /// - Throws: ``PortError`` if the port cannot be opened or is removed.
  public static func listen(to path: String, unless wakeUp: WakeUp) throws(PortError) -> Result {
    var port = SerialPort(path: path, baud: rates[0])
    var loop = try PortLoop(wakeUp: wakeUp)
    var listener = Listener()
    try port.open()
    try loop.run(&port, &listener)
    return listener.heard
  }
}

/// Detects complete NMEA 0183 sentences in a stream of bytes.
///
///     $GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76
struct SentenceDetector {
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

  /// Processes the next byte. Returns `true` if the byte completes a sentence with a correct checksum.
  mutating func completesSentence(_ byte: UInt8) -> Bool {
    length += 1
    if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") {
      self = SentenceDetector()
      state = .inside
      return false
    }
    switch state {
    case .outside: return false
    case .inside:
      if byte == UInt8(ascii: "*") {
        // A sentence has at least an address and a field. Shorter matches occur by chance.
        state = length >= 7 ? .firstDigit : .outside
      } else if (0x20...0x7E).contains(byte) {
        sum ^= byte
      } else {
        state = .outside
      }
      return false
    case .firstDigit, .secondDigit:
      guard let digit = SentenceDetector.value(byte) else {
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
