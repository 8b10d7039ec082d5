import Foundation
import TestKit
import Testing

/// The options of `obdgate simulate` for a test.
struct Simulation: Sendable {
  enum Place: Sendable { case pty, tcp }

  var scenario = "{}"
  var faults: String?
  var place = Place.pty
}

/// The result of a command that used simulated adapters.
struct Played: Sendable {
  let result: Tool.Result
  /// The logs of the simulators: every byte that each of them received and sent.
  let logs: [DialogueText]

  /// The commands that the first simulator received, without their CR.
  var commands: [String] { logs[0].commands }
}

/// Runs a shell command with simulated adapters, which end with it.
///
/// - Parameters:
///   - line: `$D0`, `$D1`, … stand for the adapters, `$OBDGATE` for the program.
///   - folder: the folder for links, logs and scenarios.
///   - limit: time limit.
func play(
  _ line: String, beside simulations: [Simulation], in folder: String, limit: Duration = .seconds(120)
) throws -> Played {
  places.wait()
  defer { places.signal() }
  let program = try Tool.obdgate
  // A fifo signals that the port exists, so no polling is needed.
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

/// The bytes of a `.capture`, joined for each direction, with the escapes of the file.
struct DialogueText: Equatable {
  var toAdapter = ""
  var fromAdapter = ""

  /// The bytes sent to the adapter, command by command.
  var commands: [String] { toAdapter.components(separatedBy: "\\r").filter { !$0.isEmpty } }

  init(_ capture: String) {
    for line in capture.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: " ", maxSplits: 2)
      let bytes = parts.count == 3 ? parts[2].replacing("\\x20", with: " ") : ""
      if parts[1] == ">" { toAdapter += bytes } else { fromAdapter += bytes }
    }
  }
}

/// The number of simulators at the same time is limited: their timing is realistic, and on a busy machine the vehicle
/// would answer late.
private let places = DispatchSemaphore(value: 8)

/// Runs one command with a simulated adapter.
func query(_ arguments: String..., scenario: String = "{}", faults: String? = nil) async throws -> Played {
  try await runBlocking {
    let scratch = try ScratchFolder()
    let line = "\"$OBDGATE\" \(arguments.joined(separator: " ")) --device \"$D0\""
    return try play(line, beside: [Simulation(scenario: scenario, faults: faults)], in: scratch.path)
  }
}

/// Scenarios with known values.
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
