// Output to the host, and the effects of faults on it.
extension VirtualAdapter {
  var lineEnd: String { settings.linefeeds || faults.holds(.crlf, at: now) ? "\r\n" : "\r" }

  /// Prints a text line and its line end.
  mutating func print(_ text: String) { write(text + "\r") }

  /// Prints characters. Each CR becomes the line end that `ATL` selects.
  mutating func write(_ text: String) {
    let end = Array(lineEnd.utf8)
    let bytes = text.utf8.flatMap { $0 == 0x0D ? end : [$0] }
    printed += bytes
    send(bytes)
  }

  /// Sends bytes to the host, with the changes that faults make. A fault may also delay or discard them.
  mutating func send(_ bytes: [UInt8]) {
    guard isSpeaking else { return }
    if isHoldingBack {
      heldBack += bytes
      return
    }
    let bytes = heldBack + bytes
    heldBack = []
    let pace = faults.holding(.trickle, at: now).map { Duration.nanoseconds(Int(1e9 / $0.number)) }
    for byte in bytes {
      if faults.has(.nul), faults.strike(.nul, at: now) != nil { line.send(toHost: 0, at: now, pace: pace) }
      if faults.has(.drop), faults.strike(.drop, at: now) != nil { continue }
      var byte = byte
      if faults.has(.flip), faults.strike(.flip, at: now) != nil { byte ^= 1 << UInt8(faults.number(below: 8)) }
      line.send(toHost: byte, at: now, pace: pace)
    }
  }

  /// Whether the adapter's output reaches the host now.
  var isSpeaking: Bool {
    !faults.holds(.silent, at: now) && !faults.holds(.unplug, at: now) && !faults.holds(.gps, at: now)
      && !faults.holds(.echoAll, at: now)
  }

  /// Ends an answer with the prompt, unless a fault delays the prompt.
  mutating func finish() {
    if let late = faults.strike(.promptLate, at: now) {
      task?.steps = [.init(time: now + late.duration, step: .latePrompt)]
      return
    }
    endTask()
  }

  /// Prints the prompt and the alerts that wait. Then handles the characters that arrived during the task.
  mutating func endTask() {
    let reply = printed
    prompt()
    if faults.strike(.replyTwice, at: now) != nil {
      write(String(decoding: reply.filter { $0 != 0x0A }, as: UTF8.self))
      prompt()
    }
    task = nil
    while !alerts.isEmpty {
      print(alerts.removeFirst())
      prompt()
    }
    let typed = typeahead
    typeahead = []
    for byte in typed { receive(byte) }
  }

  /// Prints the prompt. An adapter of a kind other than `clone` prints a blank line before it.
  mutating func prompt() {
    let blank = String(repeating: "\r", count: model.blankLines)
    if faults.strike(.promptOK, at: now) != nil { print("OK") }
    if faults.strike(.promptLost, at: now) != nil { return write(blank) }
    write(blank + ">")
    if faults.strike(.promptTwice, at: now) != nil { write(blank + ">") }
  }

  /// Returns the byte that the receiver reads if the baud rates of host and adapter differ. A difference of up to 3 %
  /// has no effect: `ATBRD11` sets 235,294 baud, while the host uses 230,400.
  func garbled(_ byte: UInt8, at baud: Int) -> UInt8 {
    guard model.isStrictAboutBaud, let hostBaud, abs(hostBaud - baud) * 100 > baud * 3 else { return byte }
    return UInt8(truncatingIfNeeded: SeededGenerator.mix(UInt64(byte) &+ UInt64(baud))) | 0x80
  }
}
