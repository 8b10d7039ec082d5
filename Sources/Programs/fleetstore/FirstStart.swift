import FleetAPI
import FleetDomain
import Glibc

/// What a store needs before anybody can use it.
enum FirstStart {
  /// Makes an administrator's token if the store has none, not even a revoked one, and shows it: the only time that it
  /// can be seen.
  ///
  /// A service's output is kept in a journal that many may read: where there is a StateDirectory= (systemd.exec(5)), the
  /// token goes into a file there, before the store knows it.
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

  /// Writes a file that its owner alone reads.
  private static func write(_ text: String, to path: String) throws(Failure) {
    func failed() -> Failure { Failure(.unreadable, "\(path): cannot be written: \(reason(errno))") }
    // One of an earlier store is no use to anybody.
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
