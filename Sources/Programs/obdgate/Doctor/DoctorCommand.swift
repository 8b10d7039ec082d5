import ArgumentParser
import Gateway
import Glibc
import Ports
import Telemetry

/// `obdgate doctor`: looks at all that a daemon needs, and says what to do.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks adapters, permissions, Bluetooth, configuration, clock, disk, servers and the running daemon.",
    discussion: """
      A line for each check: ok, warning or problem, and what to do. Nothing is changed, no adapter is spoken to (obdgate \
      scan does that), no record is sent. Tokens and the service's own files are root's to read: sudo obdgate doctor sees \
      more. Exit status: 0 without a problem, else 1.
      """)

  @Option(
    help: ArgumentHelp(
      "The daemon's configuration; without it, \(Self.usualFile) where it is there.", valueName: "file"),
    completion: .file())
  var config: String?

  @OptionGroup var options: SocketOption

  @Flag(help: "JSON lines in place of a text.")
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
