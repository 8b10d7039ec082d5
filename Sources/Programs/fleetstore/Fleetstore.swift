import ArgumentParser
import CommandLineSupport
import CommandUsage
import Failures
import Glibc

/// The fleet store: stores the records of a fleet and answers queries about them.
@main
struct Fleetstore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleetstore",
    abstract: "Stores the records of a fleet of vehicles, in SQLite or PostgreSQL.",
    discussion: """
      stdout has only keys, lists and the configuration that --check prints; messages go to stderr. Exit status, by \
      sysexits.h: 0 done, 64 wrong usage, 65 unreadable database, 66 no such file, 69 unavailable, 74 unreadable, 78 bad \
      configuration; 1 the command failed.
      """,
    version: "0.1.0",
    subcommands: [
      ServeCommand.self, GatewayCommand.self, TokenCommand.self, TenantCommand.self, SetupCommand.self,
      PersonCommand.self, SessionCommand.self, SecretsCommand.self, ConnectorCommand.self, AuditCommand.self,
      ExportCommand.self,
      ImportCommand.self,
      GeofencesCommand.self, RestoredCommand.self,
    ])

  static func main() async {
    // A write to a client that has disconnected must not end the process.
    ignoreWriteSignals()
    raiseFileLimit()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as Failure {
      for line in failure.lines { StandardError.print("fleetstore: \(line)") }
      Glibc.exit(failure.kind.rawValue)
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      StandardError.print(usageLine(message(for: error), arguments: CommandLine.arguments.dropFirst()))
      Glibc.exit(ExitCode.validationFailure.rawValue)
    }
  }

  /// Raises the limit of open files to the allowed maximum, because each connection needs one. The usual limit of 1,024
  /// is low only for the sake of programs that use select(2).
  private static func raiseFileLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
    else { return }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Reports wrong usage, because there is nothing to do without a subcommand.
  func run() throws { throw ValidationError("name a subcommand") }
}
