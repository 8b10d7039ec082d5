import ArgumentParser
import JSONText
import Telemetry

/// `obdgate tail`: the running daemon's records as they are committed.
struct TailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tail", abstract: "Follows the records of the running daemon, beside its sinks.",
    discussion: """
      Records are written to stdout as the daemon has committed them, events at once and telemetry every few seconds, or, \
      where it keeps none, as they are made. What happened before is not repeated, and a reader that is too slow misses \
      some. Any number may follow at once. When the daemon goes, tail waits for it to come back. Ctrl-C ends it.
      """)

  @OptionGroup var options: SocketOption

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Only records of these types: \(Self.types.joined(separator: ", ")).", valueName: "type"),
    completion: .list(Self.types))
  var type: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Only records that name this device, as those of type adapter do.", valueName: "device"))
  var device: [String] = []

  @Flag(help: "Ends when the daemon goes, with status 69.")
  var once = false

  private static let types = RecordType.allCases.map { "\($0.name)" }

  func validate() throws {
    for name in type where !Self.types.contains(name) {
      let hint = nearestName(to: name, among: Self.types).map { "; did you mean \($0)?" } ?? ""
      throw ValidationError("--type \(name): expected \(Self.types.joined(separator: ", "))\(hint)")
    }
  }

  func run() throws {
    do {
      let filter = RecordFilter(types: Set(type), devices: Set(device))
      var tail = try TailRun(socket: options.socket, filter, isOnce: once)
      try tail.run()
    } catch let failure as Failure {
      throw failure.reported(by: "tail")
    }
  }
}
