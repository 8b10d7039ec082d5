/// The protocol of the bus between adapter and vehicle, as far as it affects the adapter's output.
public enum BusProtocol: UInt8, BitwiseCopyable, Sendable {
  /// Unknown. Each text line is classified by its length, check and header bytes.
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

  /// Whether the protocol is known to be CAN.
  public var isCAN: Bool { self == .can11 || self == .can29 }
  /// Whether the protocol is known to be a legacy one.
  public var isLegacy: Bool { self != .auto && !isCAN }
}

/// Whether the adapter prints headers (ATH1).
public enum HeaderMode: UInt8, BitwiseCopyable, Sendable { case auto, on, off }

/// Knowledge about the bus, stated by the caller or derived from the dialogue.
///
/// The caller's statement is binding: a text line of another format is malformed. A hint from the dialogue decides only
/// if a text line is ambiguous, because a clone may answer OK to a setting and ignore it.
struct Link: BitwiseCopyable {
  /// The protocol that the caller stated.
  var stated: BusProtocol = .auto
  var headers: HeaderMode = .auto
  /// The protocol from ATSP, ATTP, or the answer to ATDPN.
  var hinted: BusProtocol = .auto
  /// `true` after a text line that could only be CAN, `false` after one that could only be legacy; `nil` if unknown.
  var seenCAN: Bool?
  /// `true` after a frame that only SAE J1850's CRC confirms, `false` after one that only the sum confirms; `nil` if
  /// unknown.
  var learnedCRC: Bool?
  /// Whether the adapter formats CAN frames. After ATCAF0, requests contain their own protocol control byte.
  var formatsCAN = true
  /// Header bytes of the last legacy frame with a correct check; 0 if there is none, or after ATH0.
  private var header: UInt32 = 0

  /// Whether the bus is CAN, according to the best information; `nil` if unknown.
  var isCAN: Bool? {
    if stated != .auto { return stated.isCAN }
    if let seenCAN { return seenCAN }
    if hinted != .auto { return hinted.isCAN }
    return nil
  }

  /// Whether `48 6B …` frames have a CRC instead of a sum; `nil` if unknown.
  var usesCRC: Bool? {
    switch stated != .auto ? stated : hinted {
    case .j1850pwm, .j1850vpw: true
    case .iso9141, .kwp: false
    default: learnedCRC
    }
  }

  /// Discards the knowledge from frames, because the bus may have changed.
  mutating func forgetFrames() {
    seenCAN = nil
    learnedCRC = nil
    header = 0
  }

  mutating func forgetHeader() { header = 0 }

  /// Stores the header of a legacy frame with a correct check.
  mutating func confirm(_ bytes: Span<UInt8>, from start: Int) {
    seenCAN = false
    header = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
  }

  /// Whether a text line differs from the header of earlier frames in at most one byte. It is then a damaged frame,
  /// even if the rest looks like data without a header.
  func resemblesFrame(_ bytes: Span<UInt8>) -> Bool {
    guard header != 0, bytes.count >= 3 else { return false }
    var same = 0
    for i in 0..<3 where UInt32(bytes[i]) == header >> UInt32(16 - 8 * i) & 0xFF { same += 1 }
    return same >= 2
  }
}
