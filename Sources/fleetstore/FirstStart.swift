import FleetAPI
import FleetDomain

/// What a store needs before anybody can use it.
enum FirstStart {
  /// Makes an administrator's token where the store has none at all, and shows it: the only time that it can be seen.
  static func prepare(_ storage: any FleetStorage) async throws(StorageError) {
    guard try await storage.tokens(tenant: .standard).isEmpty else { return }
    let secret = Secret(.operatorToken)
    let now = WallClock.now
    try await storage.addToken(
      OperatorToken(id: .random(at: now), label: "first start", role: .admin, addedAt: now), secret: secret.hash,
      tenant: .standard)
    StandardError.say("fleetstore: this is the first start. The administrator's token, shown only now:")
    StandardOutput.say(secret.text)
  }
}
