import ArgumentParser
import CommandLineSupport
import CommandUsage
import GatewayOutput
import Glibc

/// The command `obdgate`. Its subcommands do all the work.
@main
struct Obdgate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "obdgate",
    abstract: "Reads OBD-II adapters, GPS receivers and recordings, and writes JSON lines.",
    discussion: """
      stdout has only the results; messages go to stderr. Exit status, by sysexits.h: 0 done, 64 wrong usage, 65 bad input \
      data, 66 no such input, 69 no such device or no answer, 74 unreadable, 78 bad configuration; 1 the command failed.
      """,
    version: Version.text,
    subcommands: [
      ReplayCommand.self, DecodeCommand.self, NMEACommand.self, FencesCommand.self, SignalsCommand.self,
      BenchCommand.self, SimulateCommand.self, ScanCommand.self, InfoCommand.self, VINCommand.self, DTCCommand.self,
      MonitorsCommand.self,
      RecordCommand.self, StatusCommand.self, TailCommand.self, DoctorCommand.self,
    ])

  static func main() {
    // If the reader of a pipe closes its end (`| head`), writing must return an error instead of ending the process.
    // The program then ends without a message.
    ignoreWriteSignals()
    do {
      var command = try parseAsRoot()
      try command.run()
      leave(.success)
    } catch let code as ExitCode {
      leave(code)
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      StandardError.print(usageLine(message(for: error), arguments: CommandLine.arguments.dropFirst()))
      Glibc.exit(ExitCode.validationFailure.rawValue)
    }
  }

  /// Ends the process without running the exit handlers of libraries. A thread may still be in a library call, for
  /// example in a check of `doctor`, and would use memory that the handlers free.
  private static func leave(_ code: ExitCode) -> Never {
    fflush(nil)
    _exit(code.rawValue)
  }

  /// Reports wrong usage. It is called if no subcommand is given.
  func run() throws { throw ValidationError("name a subcommand") }
}
