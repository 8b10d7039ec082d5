/// Commands that may be sent to an adapter: settings and queries of the adapter, and requests of services that only
/// read.
enum Harmless {
  /// Commands without arguments. None of them writes the adapter's memory or sends arbitrary bytes on the bus.
  private static let fixed: Set<String> = [
    "ATZ", "ATD", "ATWS", "ATE0", "ATL0", "ATS0", "ATH1", "ATI", "AT@1", "STI", "ATPPS", "ATRV", "ATDPN", "ATAR",
    "ATCRA",
    "ATCEA",
    "ATPC", "ATLP",
  ]
  private static let withDigits = [
    "ATAT", "ATST", "ATSPA", "ATSP", "ATSH", "ATCP", "ATCRA", "ATCEA", "ATTA", "ATFCSH", "ATFCSD", "ATFCSM", "ATSW",
    "ATBRT", "ATBRD", "STBRT", "STBR",
  ]
  private static let services: Set<String> = ["01", "02", "03", "06", "07", "09", "0A", "19", "21", "22"]

  /// Whether a command is allowed. An empty command would repeat the last one; 04 would clear trouble codes.
  static func allows(_ command: String) -> Bool {
    if fixed.contains(command) { return true }
    if command.hasPrefix("AT") || command.hasPrefix("ST") {
      return withDigits.contains { name in
        command.hasPrefix(name) && command.count > name.count && isHexadecimal(command.dropFirst(name.count))
      }
    }
    return isHexadecimal(command[...]) && services.contains(String(command.prefix(2)))
  }

  private static func isHexadecimal(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x41 && $0 <= 0x46) }
  }
}
