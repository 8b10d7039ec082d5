/// Functions for removing copies of erased data that a database has outside its tables.
extension StoreSession {
  private var name: String { "erased" }

  /// Stores a note in the database: copies of erased data must be removed. Call this in the transaction that erases the
  /// data.
  func recordErasure() throws(StoreFailure) {
    try run("INSERT INTO setting VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", [.text(name), .bytes([])])
  }

  /// Whether copies of erased data must be removed.
  func hasErasure() throws(StoreFailure) -> Bool { try setting(name) != nil }

  func clearErasure() throws(StoreFailure) { try run("DELETE FROM setting WHERE name = $1", [.text(name)]) }
}
