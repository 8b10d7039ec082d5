/// The protocol of the bus between adapter and vehicle, as far as it affects the adapter's output.
public enum BusProtocol: UInt8, BitwiseCopyable, Sendable {
  /// Unknown. The format of each text line is found from its length, its check byte and its header.
  case auto
  /// SAE J1850 PWM (ELM protocol 1)
  case j1850pwm
  /// SAE J1850 VPW (ELM protocol 2)
  case j1850vpw
  /// ISO 9141-2 (ELM protocol 3)
  case iso9141
  /// ISO 14230-4 (ELM protocols 4 and 5)
  case kwp
  /// ISO 15765-4 with 11-bit identifiers (ELM protocols 6 and 8)
  case can11
  /// ISO 15765-4 with 29-bit identifiers (ELM protocols 7 and 9)
  case can29

  /// Creates a protocol from the digit that ATSP uses and ATDPN returns, `1`…`9`. Any other digit gives ``auto``.
  public init(elmDigit: UInt8) {
    switch elmDigit {
    case UInt8(ascii: "1"): self = .j1850pwm
    case UInt8(ascii: "2"): self = .j1850vpw
    case UInt8(ascii: "3"): self = .iso9141
    case UInt8(ascii: "4"), UInt8(ascii: "5"): self = .kwp
    case UInt8(ascii: "6"), UInt8(ascii: "8"): self = .can11
    case UInt8(ascii: "7"), UInt8(ascii: "9"): self = .can29
    default: self = .auto
    }
  }

  /// Whether the bus is CAN; `false` if the protocol is not known.
  public var isCAN: Bool { self == .can11 || self == .can29 }
  /// Whether the bus is older than CAN; `false` if the protocol is not known.
  public var isLegacy: Bool { self != .auto && !isCAN }
}

/// Whether the adapter prints headers (ATH1).
public enum HeaderMode: UInt8, BitwiseCopyable, Sendable { case auto, on, off }

/// What is known about the bus: from the caller, or from the dialogue with the adapter.
///
/// If the caller has stated the bus, a text line of another format is malformed. What the dialogue shows is used only
/// for text lines that fit several formats, because a clone may answer OK to a setting and ignore it nevertheless.
struct Link: BitwiseCopyable {
  /// The protocol that the caller stated.
  var stated: BusProtocol = .auto
  var headers: HeaderMode = .auto
  /// The protocol that ATSP or ATTP selected, or that ATDPN returned.
  var hinted: BusProtocol = .auto
  /// Whether the last text line with an unambiguous format was from CAN (`true`) or from an older bus (`false`); `nil`
  /// if there was none.
  var seenCAN: Bool?
  /// The kind of check byte that the bus uses: `true` for the CRC of SAE J1850, `false` for the sum. It is known from
  /// the last frame whose check byte was right for only one kind; `nil` if there was no such frame.
  var learnedCRC: Bool?
  /// Whether the adapter formats CAN frames. After the command ATCAF0, it does not, and requests contain their own
  /// protocol control byte.
  var formatsCAN = true
  /// Header bytes of the last legacy frame (of a bus older than CAN) whose check byte was right; 0 if there was none,
  /// or after the command ATH0.
  private var header: UInt32 = 0

  /// Whether the bus is CAN, according to the most reliable information; `nil` if unknown.
  var isCAN: Bool? {
    if stated != .auto { return stated.isCAN }
    if let seenCAN { return seenCAN }
    if hinted != .auto { return hinted.isCAN }
    return nil
  }

  /// Whether the check byte of `48 6B …` frames is a CRC and not a sum; `nil` if unknown.
  var usesCRC: Bool? {
    switch stated != .auto ? stated : hinted {
    case .j1850pwm, .j1850vpw: true
    case .iso9141, .kwp: false
    default: learnedCRC
    }
  }

  /// Discards the information that came from frames, because the bus may have changed.
  mutating func forgetFrames() {
    seenCAN = nil
    learnedCRC = nil
    header = 0
  }

  mutating func forgetHeader() { header = 0 }

  /// Stores the header of a frame on a legacy bus (a bus older than CAN) whose check byte was right.
  mutating func confirm(_ bytes: Span<UInt8>, from start: Int) {
    seenCAN = false
    header = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
  }

  /// Whether the header of a text line differs from that of earlier frames in at most one byte. The text line is then a
  /// damaged frame, even if it otherwise looks like data without a header.
  func resemblesFrame(_ bytes: Span<UInt8>) -> Bool {
    guard header != 0, bytes.count >= 3 else { return false }
    var same = 0
    for i in 0..<3 where UInt32(bytes[i]) == header >> UInt32(16 - 8 * i) & 0xFF { same += 1 }
    return same >= 2
  }
}
