import Foundation

/// A bundled capture in the formats in which other programs would have logged the same dialogue.
struct CaptureRendering {
  struct Event {
    var time: Double
    /// The direction: `>`, `<` or `g`.
    var direction: Character
    /// The bytes as characters up to U+00FF.
    var text: String
  }

  let events: [Event]

  init(path: String) throws {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    events = lines.filter { !$0.hasPrefix("#") }.compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, let time = Double(parts[0]), let direction = parts[1].first else { return nil }
      return Event(time: time, direction: direction, text: Self.unescaped(parts[2]))
    }
  }

  /// One command and everything that was received after it.
  private struct Exchange {
    var sent: Double
    var command: String
    var reply = ""
    var received: Double
  }

  private var exchanges: [Exchange] {
    var exchanges: [Exchange] = []
    for event in events {
      if event.direction == ">" {
        exchanges.append(Exchange(sent: event.time, command: event.text, received: event.time))
      } else if event.direction == "<", !exchanges.isEmpty {
        exchanges[exchanges.count - 1].reply += event.text
        exchanges[exchanges.count - 1].received = event.time
      }
    }
    return exchanges
  }

  // MARK: Bytes alone

  /// The output on a terminal: each command once, before its reply.
  var rawWithEcho: String {
    exchanges.map { exchange in
      let word = exchange.command.filter { $0 != "\r" }
      let echoed = exchange.reply.drop { $0 == "\r" || $0 == "\n" || $0 == "\0" }.uppercased()
      return (echoed.hasPrefix(word.prefix(3)) ? "" : exchange.command) + exchange.reply
    }.joined()
  }

  /// The bytes of an adapter after `ATE0`.
  var rawWithoutEcho: String { events.filter { $0.direction == "<" }.map(\.text).joined() }

  // MARK: Logs

  /// A log of python-OBD without times: `[obd.elm327] write: b'010C\r'`.
  var pythonOBD: String {
    exchanges.map { "[obd.elm327] write: \(Self.repr($0.command))\n[obd.elm327] read: \(Self.repr($0.reply))\n" }
      .joined()
  }

  /// A log of python-OBD with times: `2026-02-03 07:15:01,434 - obd.elm327 - DEBUG - write: b'010C\r'`.
  var pythonOBDWithTimes: String {
    exchanges.map { exchange in
      let sent = Self.clock(exchange.sent, "%06.3f").replacing(".", with: ",")
      let received = Self.clock(exchange.received, "%06.3f").replacing(".", with: ",")
      return "2026-02-03 \(sent) - obd.elm327 - DEBUG - write: \(Self.repr(exchange.command))\n"
        + "2026-02-03 \(received) - obd.elm327 - DEBUG - read: \(Self.repr(exchange.reply))\n"
    }.joined()
  }

  /// A log of obd2raw: `0.200 W 010C\r`.
  var obd2raw: String {
    "# obd2-raw v1\n# transport=serial port=/dev/ttyUSB0 baud=38400\n# started=2026-02-03T07:15:00.000Z\n"
      + exchanges.map { exchange in
        String(format: "%.3f W ", exchange.sent) + Self.escaped(exchange.command) + "\n"
          + String(format: "%.3f R ", exchange.received) + Self.escaped(exchange.reply) + "\n"
      }.joined()
  }

  /// A log of an app: `07:15:01.434 > 010C`.
  var appLog: String {
    exchanges.map { exchange in
      Self.clock(exchange.sent, "%06.3f") + " > " + exchange.command.filter { $0 != "\r" } + "\n"
        + Self.clock(exchange.received, "%06.3f") + " < " + Self.escaped(exchange.reply) + "\n"
    }.joined()
  }

  /// The output of `socat -v`, which loses bytes that are not text.
  var socatText: String {
    socat { text in
      text.unicodeScalars.map { character in
        switch character {
        case "\r": "\\r"
        case "\n": "\n"
        case "\t": "\\t"
        case "\\": "\\\\"
        case " "..."~": String(character)
        default: "."
        }
      }.joined()
    }
  }

  /// The output of `socat -x`.
  var socatHexadecimal: String {
    socat { text in text.unicodeScalars.map { String(format: " %02x", $0.value) }.joined() + "\n" }
  }

  private func socat(_ write: (String) -> String) -> String {
    var positions: [Character: Int] = [:]
    return events.filter { $0.direction != "g" }.map { event in
      let count = event.text.unicodeScalars.count
      let start = positions[event.direction] ?? 0
      positions[event.direction] = start + count
      return "\(event.direction) 2026/02/03 \(Self.clock(event.time, "%09.6f"))  "
        + "length=\(count) from=\(start) to=\(start + count - 1)\n" + write(event.text)
    }.joined()
  }

  // MARK: Frames

  /// The output of `candump -L`: the frames of the adapter's lines with headers and spaces, and requests of a single
  /// frame.
  var candump: String {
    exchanges.map { exchange in
      let command = exchange.command.filter { $0.isHexDigit }
      guard exchange.command.first?.isNumber == true, command.count.isMultiple(of: 2) else { return "" }
      let frames = exchange.reply.split { $0 == "\r" || $0 == "\n" || $0 == ">" }.compactMap(Self.frame)
      guard let first = frames.first else { return "" }
      let length = String(format: "%02X", command.count / 2)
      let padding = String(repeating: "0", count: max(0, 14 - command.count))
      let request = (first.hasPrefix("18DA") ? "18DB33F1" : "7DF") + "#" + length + command + padding
      let sent = String(format: "(%.6f) can0 ", 1_770_102_900 + exchange.sent)
      let received = String(format: "(%.6f) can0 ", 1_770_102_900 + exchange.received)
      return sent + request + "\n" + frames.map { received + $0 + "\n" }.joined()
    }.joined()
  }

  /// Returns a frame as candump prints it, `7E8#04410C1AF8` for `7E8 04 41 0C 1A F8 `; `nil` for a line that is not a
  /// frame.
  private static func frame(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard words.count > 1, words.allSatisfy({ $0.allSatisfy(\.isHexDigit) }) else { return nil }
    if words[0].count == 3 { return words[0] + "#" + words.dropFirst().joined() }
    guard words.count > 5, words[0] == "18", words[1] == "DA" else { return nil }
    return words.prefix(4).joined() + "#" + words.dropFirst(4).joined()
  }

  // MARK: Writing

  private static func clock(_ time: Double, _ format: String) -> String {
    let minutes = Int(time / 60)
    return String(format: "07:%02d:", 15 + minutes) + String(format: format, time - Double(minutes) * 60)
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { character in
      switch character {
      case "\r": "\\r"
      case "\n": "\\n"
      case "\\": "\\\\"
      case " "..."~": String(character)
      default: String(format: "\\x%02X", character.value)
      }
    }.joined()
  }

  /// Returns bytes as Python prints them. These dialogues contain no quotation mark.
  private static func repr(_ text: String) -> String { "b'" + escaped(text) + "'" }

  private static func unescaped(_ text: Substring) -> String {
    var out = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let character = rest.popFirst() {
      guard character == "\\", let escape = rest.popFirst() else {
        out.append(character)
        continue
      }
      switch escape {
      case "r": out.append("\r")
      case "n": out.append("\n")
      case "x":
        let digits = String(rest.prefix(2))
        rest = rest.dropFirst(2)
        out.append(Unicode.Scalar(UInt8(digits, radix: 16) ?? 0x3F))
      default: out.append(escape)
      }
    }
    return String(out)
  }
}
