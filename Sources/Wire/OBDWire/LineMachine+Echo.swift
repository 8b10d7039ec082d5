/// Recognizes the echo of a command. If the caller has not stated the command, it is taken from the echo.
extension LineMachine {
  /// The form of an echo of `010C`: `010C`, or, if both the adapter and its connection echo the command, `010C010C` or
  /// `001100CC`.
  enum Echo: UInt8 { case once, twice, characterTwice }

  /// Removes spaces and noise from the command, and converts it to upper case.
  mutating func makeCommandPlain() {
    guard !isCommandPlain else { return }
    isCommandPlain = true
    var count = 0
    for i in 0..<commandCount where !Self.isNoise(commandText[i]) {
      let c = commandText[i]
      commandText[count] = c >= UInt8(ascii: "a") && c <= UInt8(ascii: "z") ? c - 32 : c
      count += 1
    }
    commandCount = count
  }

  /// Returns the number of characters at the start of a text line that repeat the command, including spaces and noise
  /// between them; 0 if the command is not echoed.
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

  /// If no command is known, and the text line after a prompt looks like an echo, uses the text line as the command.
  ///
  /// - Returns: whether it was an echo.
  mutating func readEcho<H: ReplyHandler & ~Copyable>(
    from first: Int, to end: Int, in context: LineContext, into handler: inout H
  ) -> Bool {
    let text = context.line
    let line = text.extracting(first..<end)
    let isEcho: Bool
    if hex.read(text, from: first, to: end) {
      isEcho = Request.looksLikeEcho(&hex)
      if isEcho, hex.hasIdentifier, hex.count == 0 {
        undecided = hex.identifier
        undecidedOrigin = context.origin
        return true
      }
    } else {
      isEcho = Self.isAdapterCommand(line) || Self.isAddressedCommand(line)
    }
    guard isEcho else { return false }
    command(line, position: context.origin.position, into: &handler)
    awaitsEcho = false
    phase = .answering
    return true
  }

  /// Whether a text line is a command for the adapter, such as `ATE0`, `AT SP 0` or `STI`, and not `STOPPED` or the
  /// identification `STN1110`.
  static func isAdapterCommand(_ line: Span<UInt8>) -> Bool {
    guard line.count >= 3 else { return false }
    let first = line[0] & 0xDF
    guard line[1] & 0xDF == UInt8(ascii: "T") else { return false }
    if first == UInt8(ascii: "A") { return true }
    let third = line[2] & 0xDF
    return first == UInt8(ascii: "S") && third != UInt8(ascii: "O") && third != UInt8(ascii: "N") && line.count <= 24
  }

  /// Whether a text line is a command in the form that captures for signal sets use, such as `7E0.7E8.0144|f=2009-`:
  /// header, receiver and command, and after `|` the options.
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
