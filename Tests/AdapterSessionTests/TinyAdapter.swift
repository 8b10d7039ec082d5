/// A minimal ELM327 and CAN car for tests. Answers come from a table; bytes and ECUs have realistic delays. It does not
/// use OBDWire.
final class TinyAdapter {
  struct ECU {
    var address: String
    var pids: [UInt8: [UInt8]]
    var information: [UInt8: [UInt8]] = [:]
    var identifiers: [UInt16: [UInt8]] = [:]
    /// Whether it answers only the first of several PIDs.
    var refusesMulti = false
    /// Whether it ignores requests with several PIDs.
    var ignoresMulti = false
    var isSilent = false
    /// The code with which it refuses service 01; `nil` to answer.
    var refusal: UInt8?
    var codes: [UInt16] = []
  }

  /// Bytes that arrive at a time (ns).
  struct Chunk {
    var at: Int64
    var bytes: [UInt8]
    /// Baud rate at which they were sent; `nil` for any.
    var baud: Int?
  }

  static let millisecond: Int64 = 1_000_000

  var ecus: [ECU]
  /// Commands that it does not know, without CR.
  var unknown: Set<String> = []
  var baud = 38400
  /// The speed that the host has set.
  var hostBaud = 38400
  var banner = "ELM327 v1.5"
  var protocolNumber = "A6"
  /// Called with each command first. Its result is sent unchanged as the reply, after the given time.
  var hook: ((String, Int64) -> (reply: String, after: Int64)?)?
  var latency: Int64 = 10 * millisecond
  var frameGap: Int64 = 1 * millisecond
  /// How long it waits for more ECUs (ATAT1 has learned).
  var wait: Int64 = 40 * millisecond
  /// Whether each character is echoed at once and nothing else is sent.
  var isLoopback = false
  var isDead = false
  var ignoresEchoOff = false
  /// Whether each byte arrives separately.
  var splitsBytes = false
  /// The answer to ATRV.
  var voltage = "12.6V"
  /// Whether the CR after ATBRD is not received.
  var missesConfirmation = false
  /// The answer to the CR after ATBRD.
  var wordOfConfirmation = "OK"
  /// Whether no name is sent after ATBRD.
  var isSilentAfterBaud = false
  /// Whether ATLP is answered without a prompt.
  var sleepsWithoutPrompt = false
  /// Whether no character ends the sleep after ATLP.
  var sleepsForGood = false

  private(set) var echoes = true
  private(set) var headers = false
  private(set) var linefeeds = false
  private(set) var spaces = true
  private(set) var header = "7DF"
  private(set) var receiver = ""
  var busyUntil: Int64 = 0
  private(set) var isAsleep = false
  /// The speed after a start, if ATBRD changed it.
  private var ownBaud: Int?
  /// The former speed, and the time until which a CR is expected.
  private var baudTrial: (former: Int, until: Int64)?
  private var trialTime: Int64 = 75 * millisecond
  var awaitsConfirmation: Bool { baudTrial != nil }
  /// The number of characters that arrived while it was busy. Before the time limit, none is allowed.
  private(set) var interruptions = 0

  init(_ ecus: [ECU]) { self.ecus = ecus }

  /// Time of one byte on the line, ns.
  var byteTime: Int64 { 10_000_000_000 / Int64(baud) }

  func restart() {
    echoes = true
    headers = false
    spaces = true
    header = "7DF"
    receiver = ""
    trialTime = 75 * Self.millisecond
    baudTrial = nil
  }

  /// Interrupts the power supply for a moment.
  func powerCycle() {
    restart()
    isAsleep = false
    baud = ownBaud ?? baud
  }

  /// Sets the state after an earlier session that changed the speed and ended.
  func leave(at speed: Int) {
    ownBaud = baud
    baud = speed
  }

  /// Receives a command (with its CR) whose first byte is sent at `now`.
  func receive(_ command: [UInt8], at now: Int64) -> [Chunk] {
    let whole = answer(to: command, at: now)
    guard splitsBytes else { return whole }
    return whole.flatMap { chunk in chunk.bytes.map { Chunk(at: chunk.at, bytes: [$0]) } }
  }

  private func answer(to command: [UInt8], at now: Int64) -> [Chunk] {
    if isDead { return [] }
    if isLoopback { return [Chunk(at: now + byteTime, bytes: command)] }
    if let trial = baudTrial, now > trial.until {
      baud = trial.former
      baudTrial = nil
    }
    guard hostBaud == baud else {
      // At a wrong speed, the adapter receives only framing errors.
      return [Chunk(at: now + Self.millisecond, bytes: [0xFF, 0x00, 0xE3])]
    }
    let text = String(decoding: command.dropLast(), as: UTF8.self)
    if isAsleep {
      guard !sleepsForGood else { return [] }
      // A warm start. The other characters of the command are lost.
      isAsleep = false
      restart()
      return line("\r\r" + banner + "\r\r>", from: now + 50 * Self.millisecond)
    }
    if let trial = baudTrial {
      baudTrial = nil
      guard command == [0x0D], !missesConfirmation else {
        baud = trial.former
        return []
      }
      return line(wordOfConfirmation + "\r\r>", from: now)
    }
    let received = now + Int64(command.count) * byteTime
    if now < busyUntil { interruptions += 1 }
    let echo = echoes ? text + "\r" : ""
    if let scripted = hook?(text, now) {
      busyUntil = received + scripted.after
      return line(echo + scripted.reply, from: received + scripted.after)
    }
    if unknown.contains(text) || unknown.contains(where: { $0.hasSuffix("*") && text.hasPrefix($0.dropLast()) }) {
      return line(echo + "?\r\r>", from: received)
    }
    if let chunks = changeOfBaud(text, echo: echo, from: received) { return chunks }
    if text == "ATLP", sleepsWithoutPrompt {
      isAsleep = true
      return line(echo + "OK", from: received)
    }
    if text.hasPrefix("AT") || text.hasPrefix("ST") {
      let answer = adapterAnswer(text)
      let delay: Int64 = text == "ATZ" ? 500 * Self.millisecond : 0
      return line(echo + answer, from: received + delay)
    }
    return vehicleReply(text, echo: echo, from: received)
  }

  func line(_ text: String, from start: Int64) -> [Chunk] {
    guard !text.isEmpty else { return [] }
    let bytes = Array(text.utf8)
    return [Chunk(at: start + Int64(bytes.count) * byteTime, bytes: bytes, baud: baud)]
  }

  /// Executes ATBRD or STBR: OK is sent at the old speed, the name at the new one. The change ends with the next CR or
  /// with the time limit.
  private func changeOfBaud(_ text: String, echo: String, from received: Int64) -> [Chunk]? {
    let isSTN = text.hasPrefix("STBR") && !text.hasPrefix("STBRT")
    guard isSTN || text.hasPrefix("ATBRD") else { return nil }
    let wanted = isSTN ? Int(text.dropFirst(4))! : 4_000_000 / Int(text.dropFirst(5), radix: 16)!
    let former = baud
    ownBaud = ownBaud ?? baud
    let first = line(echo + "OK\r", from: received)
    // The host's speed is one of the usual speeds, the adapter's is 4 MHz divided by an integer.
    baud = [57600, 115_200, 230_400, 500_000, 1_000_000].first { abs($0 - wanted) * 40 < $0 } ?? wanted
    if isSilentAfterBaud {
      baud = former
      return first
    }
    let name = line(banner + "\r", from: received + trialTime)
    baudTrial = (former, name[0].at + trialTime)
    return first + name
  }

  private func adapterAnswer(_ text: String) -> String {
    let end = linefeeds ? "\r\n" : "\r"
    func ok() -> String { "OK" + end + end + ">" }
    switch text {
    case "ATZ":
      restart()
      baud = ownBaud ?? baud
      return "\r\r" + banner + "\r\r>"
    case "ATWS":
      restart()
      return "\r\r" + banner + "\r\r>"
    case "ATLP": isAsleep = true
    case "ATD":
      restart()
      return ok()
    case "ATE0":
      if !ignoresEchoOff { echoes = false }
      return ok()
    case "ATL0": linefeeds = false
    case "ATS0": spaces = false
    case "ATH1": headers = true
    case "ATI": return banner + end + end + ">"
    case "AT@1": return "OBDII to RS232 Interpreter" + end + end + ">"
    case "STI": return "?" + end + end + ">"
    case "ATRV": return voltage + end + end + ">"
    case "ATDPN": return protocolNumber + end + end + ">"
    case "ATAR": receiver = ""
    default:
      if text.hasPrefix("ATBRT") { trialTime = 5 * Self.millisecond * Int64(text.dropFirst(5), radix: 16)! }
      if text.hasPrefix("STBRT") { trialTime = Self.millisecond * Int64(text.dropFirst(5))! }
      if text.hasPrefix("ATSH") { header = String(text.dropFirst(4)) }
      if text.hasPrefix("ATCRA") { receiver = String(text.dropFirst(5)) }
    }
    return ok()
  }
}
