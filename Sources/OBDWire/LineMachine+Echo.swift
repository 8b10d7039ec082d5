/// The command: given by the caller and repeated by the adapter, or known from the echo alone.
extension LineMachine {
  /// How an adapter repeats a command: `010C`, `010C010C`, or, where both it and the link echo, `001100CC`.
  enum Echo: UInt8 { case once, twice, characterTwice }

  /// How many characters of the line repeat the command, spaces and noise between them included; 0: none.
  mutating func echoLength(_ line: Span<UInt8>, _ echo: Echo) -> Int {
    let wanted = echo == .once ? commandCount : 2 * commandCount
    var matched = 0
    var i = 0
    while i < line.count, matched < wanted {
      var c = line[i]
      i += 1
      if c <= space || c >= 0x7F { continue }
      if c >= UInt8(ascii: "a") && c <= UInt8(ascii: "z") { c -= 32 }
      guard c == commandText[echo == .characterTwice ? matched / 2 : matched % commandCount] else { return 0 }
      matched += 1
    }
    return matched == wanted ? i : 0
  }

  /// With no command known, whether the line behind a prompt is the echo of one; it is then the command.
  mutating func takeEcho<H: ReplyHandler & ~Copyable>(
    _ text: Span<UInt8>, from first: Int, to end: Int, position: UInt64, into handler: inout H
  ) -> Bool {
    let line = text.extracting(first..<end)
    let isEcho: Bool
    if hex.read(text, from: first, to: end) {
      isEcho = Request.looksLikeEcho(&hex)
      if isEcho, hex.hasIdentifier, hex.count == 0 {
        undecided = hex.identifier
        undecidedOrigin = origin(position)
        return true
      }
    } else {
      isEcho = Self.isAdapterCommand(line) || Self.isAddressedCommand(line)
    }
    guard isEcho else { return false }
    command(line, position: position, into: &handler)
    awaitsEcho = false
    phase = .answering
    return true
  }

  /// `ATE0`, `AT SP 0`, `STI`; not `STOPPED`, nor a banner `STN1110`.
  static func isAdapterCommand(_ line: Span<UInt8>) -> Bool {
    guard line.count >= 3 else { return false }
    let first = line[0] & 0xDF
    guard line[1] & 0xDF == UInt8(ascii: "T") else { return false }
    if first == UInt8(ascii: "A") { return true }
    let third = line[2] & 0xDF
    return first == UInt8(ascii: "S") && third != UInt8(ascii: "O") && third != UInt8(ascii: "N") && line.count <= 24
  }

  /// `7E0.7E8.0144|f=2009-`: header, receiver and command, as signal-set captures write an exchange.
  static func isAddressedCommand(_ line: Span<UInt8>) -> Bool {
    var dots = 0
    var digits = 0
    for i in 0..<line.count {
      let c = line[i]
      if c == UInt8(ascii: "|") { break }
      if c == UInt8(ascii: ".") {
        guard digits >= 3 || dots == 1 && digits >= 2 else { return false }
        dots += 1
        digits = 0
      } else if Hex.value(c) < 16 {
        digits += 1
      } else {
        return false
      }
    }
    return (dots == 1 || dots == 2) && digits >= 2
  }
}
