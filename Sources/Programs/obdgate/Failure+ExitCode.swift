import ArgumentParser
import CommandLineSupport
import Failures

extension Failure {
  /// Reports the failure on stderr. Returns the exit status for ArgumentParser.
  func reported(by command: String) -> ExitCode {
    for line in lines { StandardError.print("obdgate \(command): \(line)") }
    return ExitCode(kind.rawValue)
  }
}
