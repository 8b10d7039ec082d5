import CommandLineSupport
import Failures
import FleetAccess
import Glibc

/// The file with the keys that encrypt secrets in the database.
enum SecretKeysFile {
  /// The name of the credential of systemd (systemd.exec(5), LoadCredential=).
  private static let credential = "fleetstore.secret-keys"

  /// Reads the keys. If no file is configured, it is the credential of systemd if there is one; otherwise, beside a SQLite
  /// database, a file that is made if there is none.
  ///
  /// - Throws: an error that names the file and what to do.
  static func read(_ configuration: Configuration) throws(Failure) -> SecretKeys? {
    if let path = configuration.secretKeysFile { return try parse(path) }
    if let folder = unsafe getenv("CREDENTIALS_DIRECTORY").map({ unsafe String(cString: $0) }) {
      let path = folder + "/" + credential
      if unsafe access(path, F_OK) == 0 { return try parse(path) }
    }
    guard case .sqlite(let database) = configuration.database else { return nil }
    let path = database + ".keys"
    if unsafe access(path, F_OK) != 0 {
      try FileText.create(path, secret: SecretKeys.newLine() + "\n")
      StandardError.say(
        "fleetstore: \(path) has the keys of secrets in the database: keep a copy of it, not beside the database's")
    }
    return try parse(path)
  }

  /// Reads a file of keys.
  static func parse(_ path: String) throws(Failure) -> SecretKeys {
    guard let keys = SecretKeys(file: String(decoding: try FileText.readSecret(path), as: UTF8.self)) else {
      throw Failure(
        .badConfiguration, path, "expected one key on each line, 64 hexadecimal digits: fleetstore secrets new-key")
    }
    return keys
  }
}
