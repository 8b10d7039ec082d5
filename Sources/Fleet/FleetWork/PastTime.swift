import FleetDomain
import Telemetry

extension Timestamp {
  /// The greatest accepted difference between the clocks of a client and of the server, ms. The clocks of phones may be
  /// wrong by a few minutes.
  private static var clockError: Int64 { 300_000 }

  /// Checks the time of something that has happened.
  ///
  /// - Parameters:
  ///   - now: the server's time.
  ///   - key: the field that contains the time.
  /// - Throws: `invalid` if the time is in the future.
  public func requirePast(at now: Timestamp, _ key: String) throws(ThingError) {
    guard milliseconds <= now.milliseconds + Self.clockError else {
      throw .invalid(FieldErrors([FieldError(key, "expected a time that is not in the future")]))
    }
  }
}
