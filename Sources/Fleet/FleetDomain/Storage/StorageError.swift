import Failures

/// The reason why a storage call failed, on one line with the place.
public typealias StorageError = PlacedError<StorageErrorKind>

/// The kind of a ``StorageError``.
public enum StorageErrorKind: Sendable {
  /// The database cannot be reached, or the connection was lost. The result of the call is unknown, and repeating
  /// it is safe.
  case unavailable
  /// No space is left.
  case full
  /// The database is read-only.
  case readOnly
  /// The file is not a fleet store's database, or is damaged.
  case damaged
  /// There is no database, and the caller has no permission to create one.
  case noDatabase
  /// Another server uses the file.
  case inUse
  /// The database was made by a newer version.
  case newerSchema
  /// The vehicle, gateway or VIN already exists.
  case exists
  /// The tenant has the maximum number of gateways or tokens.
  case limitReached
  /// The tenant, vehicle, gateway or token does not exist.
  case notFound
  /// A cursor was changed, or belongs to another query.
  case invalidCursor
  /// A query that is not allowed.
  case invalidQuery
  /// A feed position is no longer stored, or never existed. The caller must read the current state again.
  case positionGone
  /// Any other error of the database.
  case system
}
