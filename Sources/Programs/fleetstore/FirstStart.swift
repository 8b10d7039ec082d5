import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetDomain
import Glibc

/// Prepares a store when it is used for the first time.
enum FirstStart {
  /// Creates an administrator's token if the store never had one, and shows it once.
  ///
  /// A service's stdout goes to the journal, which many users may read. Therefore, if the service has a StateDirectory=
  /// (systemd.exec(5)), the token is written to a file in this directory instead, before its hash is stored.
  static func prepare(_ storage: any FleetStorage) async throws {
    guard try await !storage.hasToken(.admin, tenant: .standard) else { return }
    let secret = Secret(.operatorToken)
    let folder = unsafe getenv("STATE_DIRECTORY").map { unsafe String(cString: $0) }
    if let folder {
      // If the file exists, it is from an earlier store, whose token is not valid here. The file is replaced.
      try FileText.create(folder + "/administrator.token", secret: secret.text + "\n")
    }
    let now = WallClock.now
    try await storage.addToken(
      OperatorToken(id: .random(at: now), label: "first start", role: .admin, addedAt: now), secret: secret.hash,
      tenant: .standard)
    if let folder {
      StandardError.print(
        "fleetstore: this is the first start. The administrator's token: \(folder)/administrator.token")
    } else {
      StandardError.print("fleetstore: this is the first start. The administrator's token, shown only now:")
      try StandardOutput.print(
        secret: secret.text, lost: "make another with fleetstore token add --role admin, and revoke this one")
    }
  }
}
