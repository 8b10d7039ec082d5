import ArgumentParser
import Failures
import JSONText
import Telemetry

/// `obdgate tail`: prints each record of the running daemon when the daemon commits it.
struct TailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tail", abstract: "Prints the records of the running daemon, in addition to its sinks.",
    discussion: """
      Records are printed when the daemon commits them: events at once, telemetry every few seconds. If the daemon stores \
      no records, they are printed when they are made. Earlier records are not repeated, and a slow reader misses some. \
      Several readers can run at the same time. If the daemon ends, tail waits until it runs again. Ctrl-C ends tail.
      """)

  @OptionGroup var options: SocketOption

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Print only records of these types: \(Self.types.joined(separator: ", ")).", valueName: "type"),
    completion: .list(Self.types))
  var type: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Print only records that name this device, such as adapter records.", valueName: "device"))
  var device: [String] = []

  @Flag(help: "End with status 69 if the daemon ends.")
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
