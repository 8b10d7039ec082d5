import AdapterSession
import Ports
import Simulator
import Testing

@testable import GatewayTestKit

/// One row of the fault matrix: what goes wrong, for how long, and what is allowed.
struct FaultRow: Sendable, CustomTestStringConvertible {
  /// One play of the row: a list of the Simulator's faults, and when the last of them is over.
  struct Play: Sendable {
    var faults: String
    /// s; 0: it never is, and the gateway works all the same.
    var ends: Double
  }

  /// What the script does to the gateway, and when, s.
  struct Act: Sendable {
    var at: Double
    var what: @Sendable (VirtualGateway) throws -> Void
  }

  var name: String
  var plays: [Play]
  /// What adapter records must say, in each play: `lost(portClosed)`.
  var says: [String]
  /// The vehicle is there all the time: no adapter record may say that it is lost.
  var isNeverLost = false
  var scenario = Cars.usual
  var truth = Truth()
  /// The value that must come again.
  var signal = "rpm"
  /// Values go on all the time: no pause in them longer than 5 s.
  var isKept = false
  var address = PortAddress.tcp(host: "adapter", port: 35_000)
  var configuration = SessionConfiguration()
  var memory = SessionMemory()
  /// The most that the driver of the line can do.
  var highestBaud = Int.max
  var acts: [Act] = []

  init(_ name: String, _ plays: [Play], says: [String]) {
    self.name = name
    self.plays = plays
    self.says = says
  }

  init(_ name: String, _ faults: String, ends: Double = 0, says: [String]) {
    self.init(name, [Play(faults: faults, ends: ends)], says: says)
  }

  var testDescription: String { name }

  /// The same with some of it changed.
  func with(_ change: (inout FaultRow) -> Void) -> FaultRow {
    var row = self
    change(&row)
    return row
  }
}

extension FaultRow {
  /// What came of one play.
  struct Outcome: Sendable {
    /// s from the fault's end to the first value that was read behind it; nil: none came.
    var recovery: Double?
    /// s from the start to the first value; nil: not looked for, or none came.
    var firstValue: Double?
    var said: [String] = []
    var complaints: [String] = []
    var commands: [String] = []
  }

  /// How long it takes without any fault from opening the line to the first value, s.
  func initTime() throws -> Double {
    let gateway = try start(faults: "", memory: SessionMemory())
    while gateway.now < .seconds(30) {
      try gateway.run(until: gateway.now + .milliseconds(50))
      if let first = gateway.times(of: signal).first { return first.inSeconds }
    }
    throw NoReading(row: name)
  }

  struct NoReading: Error { var row: String }

  private func start(faults: String, memory: SessionMemory) throws -> VirtualGateway {
    try VirtualGateway(
      Scenario(parsing: Array(scenario.utf8)), faults: faults, address: address, configuration: configuration,
      memory: memory, highestBaud: highestBaud)
  }

  /// - Parameter limit: within how many s after the fault's end a value must be read.
  func run(_ play: Play, limit: Double) throws -> Outcome {
    let gateway = try start(faults: play.faults, memory: memory)
    for act in acts {
      try gateway.run(until: .seconds(act.at))
      try act.what(gateway)
    }
    try gateway.run(until: .seconds(play.ends))
    let freshFrom = play.ends == 0 ? 0 : play.ends + 0.25
    var outcome = Outcome()
    while outcome.recovery == nil, gateway.now.inSeconds < play.ends + limit + 30 {
      try gateway.run(until: gateway.now + .milliseconds(250))
      outcome.recovery = gateway.times(of: signal).first { $0.inSeconds >= freshFrom }.map { $0.inSeconds - play.ends }
    }
    try gateway.run(until: gateway.now + .seconds(6))
    outcome.said = gateway.lines.compactMap { $0.record.said }
    outcome.commands = gateway.commands.map(\.text)
    outcome.complaints = complaints(gateway, outcome, limit)
    return outcome
  }

  /// Losses that were none.
  func unjustified(_ outcome: Outcome) -> [String] {
    isNeverLost ? outcome.said.filter { $0.hasPrefix("lost") || $0.hasPrefix("recovered") } : []
  }

  private func complaints(_ gateway: VirtualGateway, _ outcome: Outcome, _ limit: Double) -> [String] {
    var complaints: [String] = []
    switch outcome.recovery {
    case let seconds? where seconds <= limit: break
    case let seconds?: complaints.append("recovered after \(seconds) s, allowed are \(limit) s")
    case nil: complaints.append("no \(signal) came again")
    }
    let times = gateway.times(of: signal)
    if let last = times.last, gateway.now - last > .seconds(1.5) { complaints.append("\(signal) ended at \(last)") }
    if isKept, let pause = zip(times, times.dropFirst()).map({ $1 - $0 }).max(), pause > .seconds(5) {
      complaints.append("a pause of \(pause)")
    }
    complaints += Set(gateway.lines.flatMap { $0.record.untruths(truth) }).map { "not so: \($0)" }
    complaints += unjustified(outcome)
    for wanted in says where !outcome.said.contains(wanted) { complaints.append("nothing says \(wanted)") }
    let numbers = gateway.lines.map(\.record.sequence)
    if numbers != Array(1...max(1, numbers.count)) { complaints.append("seq has a hole") }
    return complaints
  }
}

extension Duration {
  var inSeconds: Double { self / .seconds(1) }
}
