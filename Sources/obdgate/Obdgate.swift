import ArgumentParser
import Glibc

/// The engineer's tool: subcommands only; what they do stands in the targets below.
@main
struct Obdgate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "obdgate",
    abstract: "Reads what OBD-II adapters and GPS receivers say, and writes it as JSON lines.",
    discussion: """
      stdout carries records alone; everything for people goes to stderr. Exit status, by sysexits.h: 0 done, 64 wrong \
      usage, 65 bad input data, 66 no such input, 69 unavailable, 74 unreadable, 78 bad configuration.
      """,
    version: "0.1.0",
    subcommands: [
      ReplayCommand.self, DecodeCommand.self, NMEACommand.self, SignalsCommand.self, BenchCommand.self,
    ])

  static func main() {
    // A reader that goes away (`| head`) is no error: the write that fails says so, and the program ends quietly.
    _ = signal(SIGPIPE, SIG_IGN)
    main(nil)
  }
}
