import AdapterSession
import Ports
import Simulator
import Testing

@testable import GatewayTestKit

/// A row of the fault matrix: the fault, its duration, and the effects that it may have.
struct FaultRow: Sendable, CustomTestStringConvertible {
  /// One play of the row: the Simulator's faults, and the time at which the last of them ends.
  struct Play: Sendable {
    var faults: String
    /// The end of the fault, s; 0 if it never ends and the gateway works in spite of it.
    var ends: Double
  }

  /// An action of the script at a time, s.
  struct Act: Sendable {
    var at: Double
    var what: @Sendable (VirtualGateway) throws -> Void
  }

  var name: String
  var plays: [Play]
  /// Events that adapter records must report in each play, for example `lost(portClosed)`.
  var says: [String]
  /// Whether the vehicle answers all the time, so that no adapter record may report its loss.
  var isNeverLost = false
  var scenario = Cars.usual
  var truth = Truth()
  /// The signal whose values must return.
  var signal = "rpm"
  /// Whether values must continue all the time, without a pause of more than 5 s.
  var isKept = false
  var address = PortAddress.tcp(host: "adapter", port: 35_000)
  var configuration = SessionConfiguration()
  var memory = SessionMemory()
  /// The highest baud rate that the port's driver supports.
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

  /// Returns a copy with some changes.
  func with(_ change: (inout FaultRow) -> Void) -> FaultRow {
    var row = self
    change(&row)
    return row
  }
}

extension FaultRow {
  /// The result of a play.
  struct Outcome: Sendable {
    /// Time from the fault's end to the first value read afterwards, s; `nil` if there was none.
    var recovery: Double?
    /// Time from the start to the first value, s; `nil` if there was none, or if it does not matter.
    var firstValue: Double?
    var said: [String] = []
    var complaints: [String] = []
    var commands: [String] = []
  }

  /// Returns the time from opening the link to the first value without a fault, s.
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

  /// Plays the row.
  ///
  /// - Parameter limit: maximum time from the fault's end to the next value, s.
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

  /// Returns the losses that were reported although the vehicle answered.
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
