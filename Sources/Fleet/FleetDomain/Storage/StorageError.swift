import Failures

/// The reason why a storage call failed, and the place of the error, as one line of text.
public typealias StorageError = PlacedError<StorageErrorKind>

/// The kind of a ``StorageError``.
public enum StorageErrorKind: Sendable {
  /// The database cannot be reached, or the connection was lost. The result of the call is unknown, and repeating
  /// it is safe.
  case unavailable
  /// No space is left on the disk.
  case full
  /// The database is read-only.
  case readOnly
  /// The file is not a fleet store's database, or is damaged.
  case damaged
  /// There is no database, and the caller has no permission to create one.
  case noDatabase
  /// Another server uses the database file.
  case inUse
  /// A newer version of this program made the database.
  case newerSchema
  /// The vehicle, gateway or VIN already exists.
  case exists
  /// The tenant has the maximum number of gateways or tokens.
  case limitReached
  /// The tenant's stored records have the maximum size. The call may be repeated later. If earlier transactions of a
  /// large batch have stored records, the detail states their number.
  case tenantFull
  /// The tenant, vehicle, gateway or token does not exist.
  case notFound
  /// A cursor was not made by this store, or belongs to another query.
  case invalidCursor
  /// A query has values that are not allowed.
  case invalidQuery
  /// The changes after a feed position are no longer stored, or the position never existed. The caller must read the
  /// current state instead.
  case positionGone
  /// Any other error of the database.
  case system
}
