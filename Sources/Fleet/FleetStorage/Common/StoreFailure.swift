import FleetDomain

/// The error of a transaction, and whether it may be repeated.
struct StoreFailure: Error {
  let error: StorageError
  /// Whether the error is a conflict with another transaction; nothing was changed.
  let mayRetry: Bool
  /// Whether a row with the same key exists.
  var isDuplicateKey = false

  init(_ error: StorageError, mayRetry: Bool = false) {
    self.error = error
    self.mayRetry = mayRetry
  }

  init(_ kind: StorageError.Kind, _ place: String, _ detail: String, mayRetry: Bool = false) {
    self.init(StorageError(kind, place, detail), mayRetry: mayRetry)
  }
}
