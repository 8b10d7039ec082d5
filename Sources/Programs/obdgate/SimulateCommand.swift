import ArgumentParser
import CommandLineSupport
import Failures
import Simulator

/// `obdgate simulate`: simulates an adapter that is connected to a vehicle.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulates an ELM327 adapter in a driving car, on a pty or a TCP port.",
    discussion: """
      The timing is realistic: it includes the baud rate, the latency of ECUs and the waits of the adapter. The address \
      of the adapter is printed on stderr. The simulation runs until SIGINT or SIGTERM.

      A scenario; {} is the default one. Keys of a car, an ECU or a phase of the drive can be required \
      (all keys: /usr/share/doc/obdgate/Simulator.md, or Sources/Vehicle/Simulator/README.md):
      {"adapter": {"kind": "clone", "baud": 115200},
       "cars": [{"vin": "1D4GP00RX5B123456", "bus": "can11/500"}],
       "faults": "silent@30s..60s"}

      Faults, separated by commas:
      \(Fault.help)
      """)

  @Option(help: ArgumentHelp("A symbolic link to the pty, removed at the end.", valueName: "path"), completion: .file())
  var link: String?

  @Option(help: ArgumentHelp("Listen on this port of 127.0.0.1 instead of a pty. 0: any free port.", valueName: "port"))
  var tcp: UInt16?

  @Option(
    help: ArgumentHelp("A scenario (JSON): cars, drive, trouble codes, faults; see below.", valueName: "file"),
    completion: .file())
  var scenario: String?

  @Option(help: ArgumentHelp("Baud rate of the adapter.", valueName: "n"))
  var baud: Int?

  @Option(help: ArgumentHelp("Time from a request to the first frame of its answer.", valueName: "ms"))
  var latency: Int?

  @Option(help: ArgumentHelp("Faults, such as nul=0.01,echoDouble,silent@30s..60s; see below.", valueName: "spec"))
  var faults: String?

  @Option(
    help: ArgumentHelp("Write every byte with its time to this .capture file.", valueName: "file"), completion: .file())
  var log: String?

  func validate() throws {
    if link != nil, tcp != nil { throw ValidationError("--link and --tcp: a pty or a TCP port, not both") }
    if let latency, !(0...60_000).contains(latency) {
      throw ValidationError("--latency \(latency): expected 0 to 60000 milliseconds")
    }
  }

  func run() throws {
    var options = SimulatorOptions()
    options.port = tcp.map { .tcp($0) } ?? .pty(link: link)
    options.scenario = scenario
    options.baud = baud
    options.latency = latency.map { .milliseconds($0) }
    options.faults = faults
    options.log = log
    do throws(SimulatorError) {
      try runSimulator(options) { StandardError.print("obdgate simulate: \($0)") }
    } catch {
      throw Failure(ExitStatus(rawValue: error.kind.rawValue), lines: error.lines).reported(by: "simulate")
    }
  }
}
