import CommandLineSupport
import Failures
import FleetFiles
import FleetStorage

/// `fleetstore serve --check`: checks, without starting the server, the files that the server opens only after its
/// start.
extension ServeCommand {
  /// Checks the database file and the web app. Problems that do not prevent a start are printed to stderr.
  ///
  /// - Throws: the problem that would prevent a start.
  static func checkFiles(_ configuration: Configuration, isDatabaseOption: Bool) throws(Failure) {
    let folder = configuration.webFolder ?? WebFolder.standard
    if let warning = WebFolder.fault(folder) { StandardError.print("fleetstore: warning: \(warning)") }
    guard case .sqlite(let path) = configuration.database else { return }
    let check = SQLiteFileCheck(path: path)
    if let fault = check.fault {
      let key = isDatabaseOption ? "--database" : configuration.named("database")
      // systemd makes this folder for the service, and may hide it from other users.
      guard path.hasPrefix("/var/lib/fleetstore/") else { throw Failure(.badConfiguration, "\(key): \(fault)") }
      StandardError.print("fleetstore: warning: \(key): \(fault); only the running service can use it")
    }
    if check.isServed {
      let process = check.process.map { " by process \($0)" } ?? ""
      StandardError.print("fleetstore: \(path): served\(process) now")
    }
  }

  /// Checks that the contents of files can be stored in the bucket.
  ///
  /// - Parameter mayWait: whether the function returns a warning, instead of throwing an error, if the object storage
  ///   does not answer. The server can start and receive records without this storage.
  /// - Returns: a warning if the object storage does not answer; otherwise `nil`.
  @discardableResult
  static func checkContents(_ configuration: Configuration, mayWait: Bool) async throws(Failure) -> String? {
    guard configuration.server.files.s3 != nil, let store = try configuration.server.files.open() else { return nil }
    let key = configuration.named("files.s3")
    do throws(FileError) {
      try await store.check()
      return nil
    } catch {
      switch error {
      case .unavailable(let reason):
        guard mayWait else { throw Failure(.unavailable, "\(key): \(reason)") }
        return "\(key): \(reason); files cannot be uploaded and read until it answers"
      case .system(let reason): throw Failure(.badConfiguration, "\(key): \(reason)")
      case .missing, .busy, .offset, .checksum, .otherContent, .full:
        throw Failure(.badConfiguration, "\(key): an object was stored, but not found again")
      }
    }
  }
}
