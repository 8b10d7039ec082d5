/// Names of the OBD buses, as an ELM327 reports them in its answer to ATDP.
public enum ProtocolName {
  /// Returns the name in an answer to ATDP such as `AUTO, ISO 15765-4 (CAN 11/500)`; `nil` if no protocol is active.
  static func text(fromDescription answer: Span<UInt8>) -> String? {
    var name = Substring(String(latin1: answer))
    for prefix in ["AUTO, ", "AUTO,", "AUTO"] where name.hasPrefix(prefix) { name = name.dropFirst(prefix.count) }
    return name.isEmpty ? nil : String(name)
  }

  /// Returns the name for an ELM327 protocol digit (ASCII `1`…`9`, `A`); `nil` for any other character.
  public static func text(fromDigit digit: UInt8) -> String? { text(fromNumber: [digit].span) }

  /// Returns the name for an answer to ATDPN. The answer is for example `6`, or `A6` if the adapter chose the protocol
  /// automatically. Returns `nil` if no protocol is active.
  static func text(fromNumber answer: Span<UInt8>) -> String? {
    guard answer.count == 1 || answer.count == 2 && answer[0] == UInt8(ascii: "A") else { return nil }
    switch answer[answer.count - 1] {
    case UInt8(ascii: "1"): return "SAE J1850 PWM"
    case UInt8(ascii: "2"): return "SAE J1850 VPW"
    case UInt8(ascii: "3"): return "ISO 9141-2"
    case UInt8(ascii: "4"): return "ISO 14230-4 (KWP 5BAUD)"
    case UInt8(ascii: "5"): return "ISO 14230-4 (KWP FAST)"
    case UInt8(ascii: "6"): return "ISO 15765-4 (CAN 11/500)"
    case UInt8(ascii: "7"): return "ISO 15765-4 (CAN 29/500)"
    case UInt8(ascii: "8"): return "ISO 15765-4 (CAN 11/250)"
    case UInt8(ascii: "9"): return "ISO 15765-4 (CAN 29/250)"
    case UInt8(ascii: "A"): return "SAE J1939 (CAN 29/250)"
    default: return nil
    }
  }
}
