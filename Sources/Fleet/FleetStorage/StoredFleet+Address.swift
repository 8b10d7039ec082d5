import FleetDomain

extension StoredFleet {
  public func recordServerAddress(_ url: String) async throws(StorageError) {
    guard try await serverAddress() != url else { return }
    try await engine.write { session throws(StoreFailure) in
      _ = try session.run(
        "INSERT INTO setting VALUES ('address', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [.bytes(Array(url.utf8))])
    }
  }

  public func serverAddress() async throws(StorageError) -> String? {
    try await engine.read { session throws(StoreFailure) in
      try session.setting("address").map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
