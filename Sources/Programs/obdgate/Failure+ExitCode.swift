import ArgumentParser
import CommandLineSupport
import Failures

extension Failure {
  /// Reports the failure on stderr and returns the exit status for ArgumentParser.
  func reported(by command: String) -> ExitCode {
    StandardError.say("obdgate \(command): \(description)")
    return ExitCode(kind.rawValue)
  }
}
