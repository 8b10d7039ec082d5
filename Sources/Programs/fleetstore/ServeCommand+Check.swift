import CommandLineSupport
import Failures
import FleetStorage

/// `fleetstore serve --check`: checks the files that the server opens only after its start, without starting it.
extension ServeCommand {
  /// Checks the database file and the web app. Problems that do not prevent a start are printed to stderr.
  ///
  /// - Throws: an error if the server could not start.
  static func checkFiles(_ configuration: Configuration, isDatabaseOption: Bool) throws(Failure) {
    let folder = configuration.webFolder ?? WebFolder.standard
    if let warning = WebFolder.fault(folder) { StandardError.say("fleetstore: warning: \(warning)") }
    guard case .sqlite(let path) = configuration.database else { return }
    let check = SQLiteFileCheck(path: path)
    if let fault = check.fault {
      let key = isDatabaseOption ? "--database" : configuration.named("database")
      // systemd makes this folder for the service, and may hide it from others.
      guard path.hasPrefix("/var/lib/fleetstore/") else { throw Failure(.badConfiguration, "\(key): \(fault)") }
      StandardError.say("fleetstore: warning: \(key): \(fault); only the running service can use it")
    }
    if check.isServed {
      let process = check.process.map { " by process \($0)" } ?? ""
      StandardError.say("fleetstore: \(path): served\(process) now")
    }
  }
}
