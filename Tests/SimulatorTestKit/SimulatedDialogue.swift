import Simulator

/// A host at a virtual adapter, in virtual time: nothing sleeps, and every run is the same.
struct SimulatedDialogue: ~Copyable {
  var adapter: VirtualAdapter
  private(set) var now = Duration.zero
  /// The bytes that reached the host, in pieces.
  private(set) var pieces: [(time: Duration, bytes: [UInt8])] = []

  init(_ scenario: Scenario, faults: String = "") throws {
    adapter = VirtualAdapter(scenario, faults: try Fault.list(faults))
  }

  /// Creates the host and an adapter with a scenario in JSON.
  init(_ json: String = "{}", faults: String = "") throws {
    try self.init(Scenario(parsing: Array(json.utf8)), faults: faults)
  }

  var baud: Int { adapter.baud }
  var isPlugged: Bool { adapter.isPlugged }

  /// Writes characters without waiting. The wire needs time for them.
  mutating func write(_ text: String) { adapter.receive(Array(text.utf8), at: now) }

  /// Advances the clock and returns the bytes received meanwhile.
  @discardableResult
  mutating func wait(_ duration: Duration) -> String {
    let end = now + duration
    var heard: [UInt8] = []
    while let next = adapter.nextEvent, next <= end {
      now = max(now, next)
      adapter.advance(to: now)
      heard += receive()
    }
    now = end
    adapter.advance(to: now)
    heard += receive()
    return text(heard)
  }

  private mutating func receive() -> [UInt8] {
    var heard: [UInt8] = []
    while true {
      let piece = adapter.removeOutput()
      if piece.isEmpty { return heard }
      pieces.append((now, piece))
      heard += piece
    }
  }

  /// Sends a command with its CR. Returns the bytes up to the prompt, or those received within the time limit.
  mutating func request(_ command: String, within limit: Duration = .seconds(30)) -> String {
    write(command + "\r")
    let end = now + limit
    var heard: [UInt8] = []
    while let next = adapter.nextEvent, next <= end {
      now = max(now, next)
      adapter.advance(to: now)
      heard += receive()
      if heard.last == UInt8(ascii: ">") { break }
    }
    if heard.last != UInt8(ascii: ">") { now = end }
    return text(heard)
  }

  /// Sends commands and ignores their answers.
  mutating func prepare(_ commands: String...) {
    for command in commands { _ = request(command) }
  }

  /// Returns the time of a command, from its first character to its prompt.
  mutating func time(_ command: String) -> Duration {
    let start = now
    _ = request(command)
    return now - start
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Scenarios that tests share, with constant values, so that every byte is known.
enum Cars {
  /// Returns a car with these ECUs that idles without end; `more` are further keys of the car.
  static func idling(_ bus: String, ecus: String, more: String = "", adapter: String = "{}") -> String {
    """
    {"adapter": \(adapter), "cars": [{"bus": "\(bus)", "noise": 0, "vin": "1D4GP00R55B123456", \(more)
      "drive": {"phases": [{"phase": "idle", "seconds": 10}]}, "ecus": [\(ecus)]}]}
    """
  }

  /// Returns an ECU with fixed data bytes: 1726 rpm, 123 km/h, 83 °C.
  static func engine(_ address: String, more: String = "") -> String {
    """
    {"address": "\(address)", "pids": ["01"], "values": {"0C": "1AF8", "0D": "7B", "05": "7B"},
     "calibrations": [{"id": "37805-RBB-J530", "cvn": "1791BC82"}]\(more.isEmpty ? "" : ", " + more)}
    """
  }

  static let can11 = idling("can11/500", ecus: engine("7E8"))
  static let twoECUs = idling(
    "can11/500",
    ecus: engine("7E8") + ", " + #"{"address": "7E9", "role": "transmission", "pids": ["01"], "values": {"0D": "7C"}}"#)
}
