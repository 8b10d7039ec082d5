import FleetDomain

/// Why a transaction did not come to its end, and whether the same again may.
struct StoreFailure: Error {
  let error: StorageError
  /// Somebody else was in the way; nothing was changed.
  let mayRetry: Bool
  /// A row with the same key is there.
  var isDuplicateKey = false

  init(_ error: StorageError, mayRetry: Bool = false) {
    self.error = error
    self.mayRetry = mayRetry
  }

  init(_ kind: StorageError.Kind, _ place: String, _ detail: String, mayRetry: Bool = false) {
    self.init(StorageError(kind, place, detail), mayRetry: mayRetry)
  }
}
