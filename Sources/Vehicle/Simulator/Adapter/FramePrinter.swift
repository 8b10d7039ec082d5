/// Formats frames as an ELM327 does.
///
///     7E8 04 41 0C 1A F8          headers on
///     41 0C 1A F8                 headers off: data only
///     014                         headers off, first frame: length of the message,
///     0: 49 02 01 57 50 30        then its bytes, numbered
///     84 F1 10 41 0C 1A F8 E4     before CAN: header, data, checksum
struct FramePrinter {
  var settings: VirtualAdapterSettings
  var bus: Bus

  /// Returns the lines that are printed for a frame; empty if the adapter does not print such a frame.
  func lines(_ frame: BusFrame) -> [String] {
    bus.isCAN ? canLines(frame) : [legacyLine(frame.bytes)]
  }

  private func legacyLine(_ bytes: [UInt8]) -> String {
    text(
      settings.headers ? bytes : Array(bytes.dropFirst(LegacyFrame.headerLength(bytes, on: bus)).dropLast()))
  }

  private func canLines(_ frame: BusFrame) -> [String] {
    // With extended addressing, the address byte at the start of the data is printed only if headers are on.
    let hidden = settings.extendedAddress == nil || settings.headers ? 0 : 1
    let skipped = settings.extendedAddress == nil ? 0 : 1
    guard settings.formatting, frame.bytes.count > skipped else {
      return [settings.headers ? header(frame) + text(frame.bytes) : text(frame.bytes)]
    }
    let control = frame.bytes[skipped]
    let isSingle = control >> 4 == 0
    // Cut a single frame at its length, so that its padding is not shown.
    let end = isSingle ? min(frame.bytes.count, skipped + 1 + Int(control & 0x0F)) : frame.bytes.count
    if settings.headers { return [header(frame) + text(Array(frame.bytes[hidden..<end]))] }
    let data = frame.bytes[(skipped + 1)..<end]
    switch control >> 4 {
    case 0: return [text(Array(data))]
    case 1:
      let length = Int(control & 0x0F) << 8 | Int(data.first ?? 0)
      let count = HexDigits.text(length, digits: 3)
      return [settings.spaces ? count + " " : count, numbered(0, Array(data.dropFirst()))]
    case 2: return [numbered(control & 0x0F, Array(data))]
    default: return []
    }
  }

  private func numbered(_ index: UInt8, _ data: [UInt8]) -> String {
    HexDigits.text(index, digits: 1) + (settings.spaces ? ": " : ":") + text(data)
  }

  private func header(_ frame: BusFrame) -> String {
    let space = settings.spaces ? " " : ""
    let length = settings.dataLength ? HexDigits.text(frame.bytes.count, digits: 1) + space : ""
    if bus.isExtended {
      return text((0..<4).map { UInt8(truncatingIfNeeded: frame.sender >> UInt32(24 - 8 * $0)) }) + length
    }
    return HexDigits.text(frame.sender, digits: 3) + space + length
  }

  /// Formats bytes. If spaces are on, a space follows each byte, including the last one.
  private func text(_ bytes: [UInt8]) -> String {
    bytes.map { HexDigits.text($0, digits: 2) + (settings.spaces ? " " : "") }.joined()
  }
}
