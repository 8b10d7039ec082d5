import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetDomain
import Glibc

/// The file with the keys that encrypt secrets in the database.
enum SecretKeysFile {
  /// The name of systemd's credential with the keys (systemd.exec(5), LoadCredential=).
  private static let credential = "fleetstore.secret-keys"
  /// The suffix that is added to the name of a SQLite database to get the name of its key file.
  private static let suffix = ".keys"

  /// Reads the keys from the configured file; if none is configured, from systemd's credential; if there is none, from
  /// the key file of a SQLite database.
  ///
  /// - Returns: `nil` if there is no file.
  /// - Throws: an error that names the file and the remedy.
  static func read(_ configuration: Configuration) throws(Failure) -> SecretKeys? {
    if let path = configuration.secretKeysFile { return try parse(path) }
    if let folder = unsafe getenv("CREDENTIALS_DIRECTORY").map({ unsafe String(cString: $0) }) {
      let path = folder + "/" + credential
      if unsafe access(path, F_OK) == 0 { return try parse(path) }
    }
    guard case .sqlite(let database) = configuration.database else { return nil }
    let path = database + suffix
    return unsafe access(path, F_OK) == 0 ? try parse(path) : nil
  }

  /// Reads the keys for a server, and checks that they can decrypt the secrets of one-time codes (TOTP) in the
  /// database. If a SQLite database has no such secrets and no key file, the key file is created.
  ///
  /// - Returns: `nil` if there is no file, and none can be created.
  /// - Throws: an error if the file is invalid. If the database has such secrets, also an error if the file is missing
  ///   or contains other keys than those with which the secrets were encrypted.
  static func read(_ configuration: Configuration, for storage: any FleetStorage) async throws -> SecretKeys? {
    let sealed = try await sealedSecrets(storage)
    guard let keys = try read(configuration) else {
      let path: String? = if case .sqlite(let database) = configuration.database { database + suffix } else { nil }
      guard sealed.isEmpty else {
        throw Failure(
          .badConfiguration, path ?? "accounts.secretKeysFile",
          "the file with the keys of \(sealed.count) secrets in the database is missing; restore it from its backup, or reset the factors: fleetstore person reset-factor"
        )
      }
      guard let path else { return nil }
      try FileText.create(path, secret: SecretKeys.newLine() + "\n")
      StandardError.print(
        "fleetstore: \(path) has the keys of secrets in the database: keep a copy of it, but not in the same place as the copy of the database"
      )
      return try parse(path)
    }
    let unreadable = sealed.count { keys.open($0.sealed, for: $0.place) == nil }
    guard unreadable == 0 else {
      throw Failure(
        .badConfiguration, "accounts.secretKeysFile",
        "\(unreadable) of \(sealed.count) secrets in the database were encrypted with a key that is not in the file; add its line"
      )
    }
    return keys
  }

  /// Returns the encrypted secrets of one-time codes (TOTP) of all tenants.
  private static func sealedSecrets(_ storage: any FleetStorage) async throws -> [SealedField.Secret] {
    var found: [SealedField.Secret] = []
    for tenant in try await storage.tenants() {
      found += try await SealedField.oneTimeCodes.secrets(of: tenant.id, in: storage)
    }
    return found
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
