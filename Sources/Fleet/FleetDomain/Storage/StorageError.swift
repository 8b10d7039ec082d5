/// Why a call on the store was not done. One line for people: which, where, what.
public struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// The database cannot be reached, or broke off. Nothing is known of the call; the same again is safe.
    case unavailable
    /// No space is left.
    case full
    /// The database takes no writes.
    case readOnly
    /// The file is no database of ours, or not a sound one.
    case damaged
    /// There is no database, and the caller may not make one.
    case noDatabase
    /// Another server has the file.
    case inUse
    /// The database was made by a newer version.
    case newerSchema
    /// There is such a vehicle, gateway or VIN already.
    case exists
    /// The tenant has as many gateways or tokens as it may have.
    case limitReached
    /// There is no such tenant, vehicle, gateway or token.
    case notFound
    /// A cursor that was not given out for this question, or was changed.
    case invalidCursor
    /// A question that cannot be answered as it is put.
    case invalidQuery
    /// A feed position that is not kept any more, or never was: the caller has to read the present state afresh.
    case positionGone
    /// Anything else that the database said.
    case system
  }

  public let kind: Kind
  /// What it is about: a path, an address without a password, an id.
  public let place: String
  /// What went wrong.
  public let detail: String

  public init(_ kind: Kind, _ place: String, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }

  public var description: String { "\(place): \(detail)" }
}
