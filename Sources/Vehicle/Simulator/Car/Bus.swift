/// The OBD buses, with the numbers of the ELM327's protocol list (`ATSP`).
public enum Bus: UInt8, CaseIterable, Sendable {
  /// SAE J1850 PWM, 41.6 kbit/s.
  case j1850pwm = 1
  /// SAE J1850 VPW, 10.4 kbit/s.
  case j1850vpw
  /// ISO 9141-2, with initialization at 5 baud.
  case iso9141
  /// ISO 14230-4 (KWP2000), with initialization at 5 baud.
  case kwpSlow
  /// ISO 14230-4 (KWP2000), with fast initialization.
  case kwpFast
  /// ISO 15765-4, 11-bit identifiers, 500 kbit/s.
  case can11at500
  /// ISO 15765-4, 29-bit identifiers, 500 kbit/s.
  case can29at500
  /// ISO 15765-4, 11-bit identifiers, 250 kbit/s.
  case can11at250
  /// ISO 15765-4, 29-bit identifiers, 250 kbit/s.
  case can29at250
  /// SAE J1939, 250 kbit/s: the bus of a truck, on which nothing answers OBD requests.
  case j1939

  /// The bus's name in a scenario file.
  public var name: String {
    switch self {
    case .j1850pwm: "j1850pwm"
    case .j1850vpw: "j1850vpw"
    case .iso9141: "iso9141"
    case .kwpSlow: "kwpSlow"
    case .kwpFast: "kwpFast"
    case .can11at500: "can11/500"
    case .can29at500: "can29/500"
    case .can11at250: "can11/250"
    case .can29at250: "can29/250"
    case .j1939: "j1939"
    }
  }

  /// The text that `ATDP` prints.
  var title: String {
    switch self {
    case .j1850pwm: "SAE J1850 PWM"
    case .j1850vpw: "SAE J1850 VPW"
    case .iso9141: "ISO 9141-2"
    case .kwpSlow: "ISO 14230-4 (KWP 5BAUD)"
    case .kwpFast: "ISO 14230-4 (KWP FAST)"
    case .can11at500: "ISO 15765-4 (CAN 11/500)"
    case .can29at500: "ISO 15765-4 (CAN 29/500)"
    case .can11at250: "ISO 15765-4 (CAN 11/250)"
    case .can29at250: "ISO 15765-4 (CAN 29/250)"
    case .j1939: "SAE J1939 (CAN 29/250)"
    }
  }

  /// The bus's digit in `ATDPN` and `ATSP`: `1`…`9`, `A`.
  var digit: String { String(rawValue, radix: 16, uppercase: true) }

  var isCAN: Bool { rawValue >= Bus.can11at500.rawValue }
  var isExtended: Bool { self == .can29at500 || self == .can29at250 || self == .j1939 }
  var isKLine: Bool { self == .iso9141 || isKWP }
  var isKWP: Bool { self == .kwpSlow || self == .kwpFast }
  var isJ1850: Bool { self == .j1850pwm || self == .j1850vpw }
  var isFastCAN: Bool { self == .can11at500 || self == .can29at500 }

  /// The physical layer of the bus. Buses with the same physical layer differ only in their identifiers or their
  /// initialization.
  var line: Line {
    switch self {
    case .j1850pwm: .pwm
    case .j1850vpw: .vpw
    case .iso9141, .kwpSlow, .kwpFast: .k
    case .can11at500, .can29at500: .can500
    case .can11at250, .can29at250, .j1939: .can250
    }
  }

  /// The physical layers.
  enum Line { case pwm, vpw, k, can500, can250 }

  /// Returns the time that a frame takes on the bus. `bytes` includes header and checksum.
  func airTime(bytes: Int) -> Duration {
    switch line {
    // Each byte takes 8 bits and a share of the frame's overhead.
    case .pwm: .microseconds(193 * bytes + 150)
    case .vpw: .microseconds(770 * bytes + 500)
    // Each byte takes 10 bits at 10,400 baud. ECUs send without pauses between bytes (P1 = 0).
    case .k: .microseconds(962 * bytes)
    // A frame has up to 130 bits, including stuff bits.
    case .can500: .microseconds(isExtended ? 300 : 240)
    case .can250: .microseconds(isExtended ? 600 : 480)
    }
  }

  /// Returns the time that a tester's request takes on the bus. On a K-line, the tester pauses for 5 ms between bytes
  /// (P4).
  func requestTime(bytes: Int) -> Duration {
    isKLine ? airTime(bytes: bytes) + .milliseconds(5 * (bytes - 1)) : airTime(bytes: bytes)
  }

  /// Minimum time between a request and its answer, and between the answers of several ECUs (P2 on a K-line).
  var minimumLatency: Duration { isKLine ? .milliseconds(25) : .zero }

  /// Minimum time between the end of an answer and the next request (P3 on a K-line).
  var minimumPause: Duration { isKLine ? .milliseconds(55) : .zero }
}
