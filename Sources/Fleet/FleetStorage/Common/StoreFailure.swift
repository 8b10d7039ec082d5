import FleetDomain

/// The error of a transaction, and whether the transaction may be repeated.
struct StoreFailure: Error {
  let error: StorageError
  /// Whether the transaction may be repeated, because it changed nothing and may succeed the next time.
  let mayRetry: Bool
  /// Whether the error was caused by an existing row with the same key.
  var isDuplicateKey = false

  init(_ error: StorageError, mayRetry: Bool = false) {
    self.error = error
    self.mayRetry = mayRetry
  }

  init(_ kind: StorageError.Kind, _ place: String, _ detail: String, mayRetry: Bool = false) {
    self.init(StorageError(kind, place, detail), mayRetry: mayRetry)
  }
}
