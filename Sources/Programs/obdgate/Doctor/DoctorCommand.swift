import ArgumentParser
import Failures
import Glibc
import Ports
import Telemetry

/// `obdgate doctor`: checks everything that a daemon needs, and prints the remedies.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks adapters, permissions, Bluetooth, configuration, clock, disk, servers and the running daemon.",
    discussion: """
      It prints one line for each check: ok, warning or problem, and what to do. It changes nothing, sends nothing to \
      adapters (use obdgate scan for that) and delivers no record. Only root can read tokens and the service's files, so \
      sudo obdgate doctor checks more. Exit status: 0 without a problem, otherwise 1.
      """)

  @Option(
    help: ArgumentHelp(
      "The daemon's configuration. Default: \(Self.usualFile), if it exists.", valueName: "file"),
    completion: .file())
  var config: String?

  @OptionGroup var options: SocketOption

  @Flag(help: "Print JSON lines instead of text.")
  var json = false

  static let usualFile = "/etc/obdgate/obdgated.json"

  func run() throws {
    do {
      var output = OutputStream()
      var isWell = true
      var encoder = JSONLineEncoder()
      try Examination(configuration: config, socket: options.socket).run { finding in
        if finding.verdict == .problem { isWell = false }
        if json {
          encoder.begin()
          finding.write(into: &encoder)
          encoder.finish()
          try output.write(encoder)
        } else {
          try output.write(finding.line)
        }
        try output.flush()
      }
      if !isWell { throw ExitCode.failure }
    } catch let failure as Failure {
      throw failure.reported(by: "doctor")
    }
  }
}
