import FleetAPI
import FleetDomain
import Glibc

/// Prepares a new store.
enum FirstStart {
  /// Creates an administrator's token if the store never had one, and shows it once.
  ///
  /// Many users may read a service's journal. If there is a StateDirectory= (systemd.exec(5)), the token is therefore
  /// written to a file there, before the store knows it.
  static func prepare(_ storage: any FleetStorage) async throws {
    guard try await !storage.hasToken(.admin, tenant: .standard) else { return }
    let secret = Secret(.operatorToken)
    let folder = unsafe getenv("STATE_DIRECTORY").map { unsafe String(cString: $0) }
    if let folder { try write(secret.text + "\n", to: folder + "/administrator.token") }
    let now = WallClock.now
    try await storage.addToken(
      OperatorToken(id: .random(at: now), label: "first start", role: .admin, addedAt: now), secret: secret.hash,
      tenant: .standard)
    if let folder {
      StandardError.say("fleetstore: this is the first start. The administrator's token: \(folder)/administrator.token")
    } else {
      StandardError.say("fleetstore: this is the first start. The administrator's token, shown only now:")
      try StandardOutput.say(
        secret: secret.text, lost: "make another with fleetstore token add --role admin, and revoke this one")
    }
  }

  /// Writes a file that only its owner can read.
  private static func write(_ text: String, to path: String) throws(CommandError) {
    func failed() -> CommandError { CommandError(.unreadable, "\(path): cannot be written: \(reason(errno))") }
    // A file of an earlier store is useless.
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failed() }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failed() }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw failed()
    }
  }

  private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
