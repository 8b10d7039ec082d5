/// The bus between adapter and car, as far as it shapes what the adapter prints.
public enum BusProtocol: UInt8, BitwiseCopyable, Sendable {
  /// Not said: found out line by line from lengths, checks and header bytes.
  case auto
  /// SAE J1850 PWM (ELM protocol 1)
  case j1850pwm
  /// SAE J1850 VPW (2)
  case j1850vpw
  /// ISO 9141-2 (3)
  case iso9141
  /// ISO 14230-4 (4, 5)
  case kwp
  /// ISO 15765-4 with 11-bit identifiers (6, 8)
  case can11
  /// ISO 15765-4 with 29-bit identifiers (7, 9)
  case can29

  /// From the digit that ATSP takes and ATDPN gives, `1`…`9`; anything else is ``auto``.
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

  public var isCAN: Bool { self == .can11 || self == .can29 }
  public var isLegacy: Bool { self != .auto && !isCAN }
}

/// Whether the adapter prints headers (ATH1).
public enum HeaderMode: UInt8, BitwiseCopyable, Sendable { case auto, on, off }

/// What is known of the link: said by the caller, or hinted at by the dialogue.
///
/// What the caller says is law: a line of another form is malformed. A hint only decides where a line could be read
/// two ways, since a clone may answer OK to a setting and ignore it.
struct Link: BitwiseCopyable {
  /// Said by the caller.
  var stated: BusProtocol = .auto
  var headers: HeaderMode = .auto
  /// Hinted by ATSP, ATTP, or the answer to ATDPN.
  var hinted: BusProtocol = .auto
  /// Learned from a line that could only be CAN (true) or only legacy (false).
  var seenCAN: Bool?
  /// Learned from a frame that only one rule checks: SAE J1850's CRC (true), or the sum (false).
  var learnedCRC: Bool?
  /// ATCAF0 was sent: requests carry their own protocol control byte.
  var formatsCAN = true
  /// The three header bytes of the last legacy frame that its check confirmed; 0: none, or ATH0 since.
  private var header: UInt32 = 0

  /// The best knowledge of the bus, for what only the family decides.
  var isCAN: Bool? {
    if stated != .auto { return stated.isCAN }
    if let seenCAN { return seenCAN }
    if hinted != .auto { return hinted.isCAN }
    return nil
  }

  /// What checks `48 6B …` frames: nil where either may.
  var usesCRC: Bool? {
    switch stated != .auto ? stated : hinted {
    case .j1850pwm, .j1850vpw: true
    case .iso9141, .kwp: false
    default: learnedCRC
    }
  }

  /// Forgets what frames told: another bus may follow.
  mutating func forgetFrames() {
    seenCAN = nil
    learnedCRC = nil
    header = 0
  }

  mutating func forgetHeader() { header = 0 }

  /// A legacy frame's check held.
  mutating func confirm(_ bytes: Span<UInt8>, from start: Int) {
    seenCAN = false
    header = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
  }

  /// Whether a line begins like the frames before it, but for one byte: it is one of them, damaged, however much what is
  /// left looks like data alone.
  func resemblesFrame(_ bytes: Span<UInt8>) -> Bool {
    guard header != 0, bytes.count >= 3 else { return false }
    var same = 0
    for i in 0..<3 where UInt32(bytes[i]) == header >> UInt32(16 - 8 * i) & 0xFF { same += 1 }
    return same >= 2
  }
}
