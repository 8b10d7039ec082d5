import Foundation
import TestKit
import Testing

/// `obdgate simulate` as it is to play beside a command that is tested.
struct Simulation: Sendable {
  enum Place: Sendable { case pty, tcp }

  var scenario = "{}"
  var faults: String?
  var place = Place.pty
}

/// What a command did beside simulated adapters.
struct Played: Sendable {
  let result: Tool.Result
  /// The simulators' own logs: every byte that each was sent and has sent.
  let logs: [DialogueText]

  /// The commands that the first one was sent, without their CR.
  var commands: [String] { logs[0].commands }
}

/// Runs a line of shell beside simulated adapters, which end with it.
///
/// - Parameters:
///   - line: `$D0`, `$D1`, … stand for the adapters, `$OBDGATE` for the program.
///   - folder: where links, logs and scenarios go.
///   - limit: how long it may take.
func play(
  _ line: String, beside simulations: [Simulation], in folder: String, limit: Duration = .seconds(120)
) throws -> Played {
  places.wait()
  defer { places.signal() }
  let program = try Tool.obdgate
  // Told through a fifo that the port is there: nobody has to look for it again and again.
  var script = """
    set -u; OBDGATE='\(program)'; cd '\(folder)'; pids=(); trap 'kill "${pids[@]}" 2>/dev/null; wait' EXIT
    start() {
      local number=$1; shift
      mkfifo "said$number"
      "$OBDGATE" simulate --log "sim$number.capture" --scenario "sim$number.json" "$@" >/dev/null 2>"said$number" & pids+=($!)
      exec {said}<"said$number"; read -r name <&$said || exit 99
      printf -v "D$number" %s "${name#obdgate simulate: }"
    }

    """
  for (number, simulation) in simulations.enumerated() {
    try Data(simulation.scenario.utf8).write(to: URL(fileURLWithPath: "\(folder)/sim\(number).json"))
    let place = simulation.place == .tcp ? "--tcp 0" : "--link elm\(number)"
    script += "start \(number) \(place)\(simulation.faults.map { " --faults '\($0)'" } ?? "")\n"
  }
  let result = try Tool.run("bash", ["-c", script + line], limit: limit)
  let logs = try simulations.indices.map { number in
    DialogueText(try String(contentsOfFile: "\(folder)/sim\(number).capture", encoding: .utf8))
  }
  return Played(result: result, logs: logs)
}

/// The bytes of a `.capture`, each way on end, escaped as they stand there.
struct DialogueText: Equatable {
  var toAdapter = ""
  var fromAdapter = ""

  /// What went to the adapter, command by command.
  var commands: [String] { toAdapter.components(separatedBy: "\\r").filter { !$0.isEmpty } }

  init(_ capture: String) {
    for line in capture.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: " ", maxSplits: 2)
      let bytes = parts.count == 3 ? parts[2].replacing("\\x20", with: " ") : ""
      if parts[1] == ">" { toAdapter += bytes } else { fromAdapter += bytes }
    }
  }
}

/// Not too many at once: the simulator's time is true, and a machine that has no time for it has a vehicle that answers
/// late.
private let places = DispatchSemaphore(value: 8)

/// Asks a simulated adapter one question.
func ask(_ arguments: String..., scenario: String = "{}", faults: String? = nil) async throws -> Played {
  try await aside {
    let scratch = try ScratchFolder()
    let line = "\"$OBDGATE\" \(arguments.joined(separator: " ")) --device \"$D0\""
    return try play(line, beside: [Simulation(scenario: scenario, faults: faults)], in: scratch.path)
  }
}

/// Scenarios whose values are known.
enum Scenarios {
  static func car(_ members: String, ecus: String, phase: String = "ignition", adapter: String = "elm327") -> String {
    """
    {"adapter": {"kind": "\(adapter)"}, "cars": [{\(members), "vin": "1D4GP00RX5B123456", "noise": 0, "ambient": 17,
      "drive": {"phases": [{"phase": "\(phase)", "seconds": 3600}]}, "ecus": [\(ecus)]}]}
    """
  }

  static let engine = """
    {"address": "7E8", "calibrations": [{"id": "37805-RBB-J530", "cvn": "1791BC82"}],
     "troubleCodes": [{"code": "P0420", "pending": 0, "at": 0, "permanent": true}]}
    """

  static let can = car(
    "\"bus\": \"can11/500\"", ecus: engine + ", {\"address\": \"7E9\", \"role\": \"transmission\"}")
  static let running = car("\"bus\": \"can11/500\"", ecus: engine, phase: "idle")
  static let clone = car("\"bus\": \"can29/500\"", ecus: "{\"address\": \"18DAF110\"}", adapter: "clone")
  static let kwp = car(
    "\"bus\": \"kwpFast\"",
    ecus:
      "{\"address\": \"10\", \"pids\": [\"01\", \"05\", \"0C\", \"0D\"], \"troubleCodes\": [{\"code\": \"P0301\", \"at\": 0}]}"
  )
  static let uds = car(
    "\"bus\": \"can11/500\", \"dialect\": \"obdOnUDS\"",
    ecus:
      "{\"address\": \"7E8\", \"role\": \"battery\", \"vin\": true, \"troubleCodes\": [{\"code\": \"P0A80-1C\", \"at\": 0}]}"
  )
}
