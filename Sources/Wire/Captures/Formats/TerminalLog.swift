/// The log of the app Car Scanner: the dialogue in the form in which a terminal would show it, with notes of the app
/// between the lines.
///
///     ===== LOG STARTED: 16.05.2025 17:20:23=====
///     [Connected to 192.168.*.*:3333]
///     ATZ
///     ELM327 v1.3a
///     ␊
///     >STI                                      the prompt, directly followed by the next command
///     ?
///     ␊
///     >
///     [STSupported=False(ByResponse)]VTI        a note, followed by a command
///     0100
///     7E8064100983B2013
///     ␊
///     >
///     [cmd_reply=] 7E8064100983B2013            a repeated reply up to its prompt: skipped
///     ␊
///     >
///
/// Line ends stand for the adapter's CRs. Notes are in brackets, sometimes across several lines. Other messages of the
/// app contain characters that no adapter prints (`=`, `;`), or are recognized by their format. The log contains only
/// one time, the start of the app in the phone's date format. This time is ignored.
extension CaptureReader {
  /// Reads a line.
  mutating func terminalLine<C: CaptureConsumer & ~Copyable>(_ line: Span<UInt8>, into consumer: inout C) {
    let text = line.trimmingEnd()
    if terminal.skips(text) { return }
    guard text.count > 0 else {
      if !terminal.awaitsCommand { deliverTerminal(text, .fromAdapter, into: &consumer) }
      return
    }
    switch text[0] {
    case UInt8(ascii: "="): return
    case UInt8(ascii: "["):
      guard let rest = terminal.readNote(text) else { return }
      terminalText(text.extracting(rest..<text.count), into: &consumer)
    case UInt8(ascii: ">"):
      scratch.removeAll(keepingCapacity: true)
      scratch.append(text[0])
      deliver(.fromAdapter, at: .none, into: &consumer)
      terminal.awaitsCommand = true
      terminalText(text.extracting(1..<text.count), into: &consumer)
    default: terminalText(text, into: &consumer)
    }
  }

  private mutating func terminalText<C: CaptureConsumer & ~Copyable>(_ text: Span<UInt8>, into consumer: inout C) {
    guard text.count > 0 else { return }
    let isCommand = AdapterSpeech.isCommand(text)
    if terminal.awaitsCommand, isCommand {
      terminal.awaitsCommand = false
      deliverTerminal(text, .toAdapter, into: &consumer)
    } else if !terminal.awaitsCommand || AdapterSpeech.isReply(text) {
      guard isCommand || AdapterSpeech.isReply(text) else { return }
      deliverTerminal(text, .fromAdapter, into: &consumer)
    }
  }

  private mutating func deliverTerminal<C: CaptureConsumer & ~Copyable>(
    _ text: Span<UInt8>, _ direction: CaptureDirection, into consumer: inout C
  ) {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(bytes: text)
    scratch.append(0x0D)
    deliver(direction, at: .none, into: &consumer)
  }
}

/// State of the reader of a terminal log.
struct TerminalState {
  private enum Skip { case nothing, toBracket, toPrompt }
  private var skip = Skip.nothing
  /// Whether the reader expects a command in the next line, because the last output was a prompt.
  var awaitsCommand = true

  /// Whether a line is the first line of a Car Scanner log.
  static func begins(_ line: Span<UInt8>) -> Bool { line.has("===== LOG STARTED") || line.has("=====Version") }

  /// Whether the reader skips a line, because it belongs to a note or a repeated reply that began in an earlier line.
  mutating func skips(_ line: Span<UInt8>) -> Bool {
    switch skip {
    case .nothing: return false
    case .toBracket:
      if line.count > 0, line[line.count - 1] == UInt8(ascii: "]") { skip = .nothing }
    case .toPrompt:
      if line.count > 0, line[0] == UInt8(ascii: ">") || line[0] == UInt8(ascii: "[") { skip = .nothing }
    }
    return true
  }

  /// Reads the note at the start of the line.
  ///
  /// - Returns: the index after the note; `nil` if the note continues in the next line, or is a repeated reply.
  mutating func readNote(_ line: Span<UInt8>) -> Int? {
    guard let close = line.index(of: UInt8(ascii: "]")) else {
      skip = .toBracket
      return nil
    }
    if line.has("[cmd_reply=]") {
      skip = .toPrompt
      return nil
    }
    return line.skippingBlanks(from: close + 1)
  }
}
