/// Removal of the copies of erased data that a database keeps beside its tables.
extension StoreSession {
  private var name: String { "erased" }

  /// Records, in the transaction that erases data, that copies have to be removed.
  func recordErasure() throws(StoreFailure) {
    try run("INSERT INTO setting VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", [.text(name), .bytes([])])
  }

  /// Whether copies have to be removed.
  func hasErasure() throws(StoreFailure) -> Bool { try setting(name) != nil }

  func clearErasure() throws(StoreFailure) { try run("DELETE FROM setting WHERE name = $1", [.text(name)]) }
}
