/// Someone asked, explicitly, to clear the trouble codes (service 04).
///
/// A permission alone clears nothing: the session then reads speed and engine speed, saves all codes and freeze frames
/// through the handler, reads both speeds again, and sends 04 only where every answer of both was 0.
public struct ClearPermission: BitwiseCopyable, Sendable {
  /// - Parameter confirmed: the person has said so (`obdgate dtc clear --yes`).
  /// - Returns: nil where nobody confirmed.
  public init?(confirmed: Bool) {
    guard confirmed else { return nil }
  }
}

/// Why codes were not cleared.
public enum ClearRefusal: UInt8, BitwiseCopyable, Sendable {
  /// A speed was not 0.
  case moving
  /// An engine speed was not 0.
  case engineRunning
  /// Speed or engine speed was not answered: standing still is not proven.
  case notProven
  /// Codes or freeze frames could not be read: they would be lost.
  case notSaved
  /// An ECU refused service 04; others may have carried it out.
  case refusedByVehicle
  /// There is no connection to a vehicle, or it was lost on the way.
  case notConnected
}

/// The proof that clearing is allowed now; made where both speeds are 0 and fresh, used up by the one command.
struct ClearProof: ~Copyable {
  /// How old the two speeds may be.
  static let maximumAge: Int64 = 2_000_000_000

  /// - Parameters:
  ///   - permission: the person's word.
  ///   - motion: what the vehicle answered.
  ///   - now: time, as everywhere in ns.
  /// - Throws: what speaks against it.
  init(_ permission: ClearPermission, _ motion: Motion, at now: Int64) throws(ClearRefused) {
    guard let speed = motion.speed, let engineSpeed = motion.engineSpeed, now - motion.readAt <= Self.maximumAge else {
      throw ClearRefused(reason: .notProven)
    }
    guard speed == 0 else { throw ClearRefused(reason: .moving) }
    guard engineSpeed == 0 else { throw ClearRefused(reason: .engineRunning) }
  }
}

/// Clearing is not allowed.
struct ClearRefused: Error {
  var reason: ClearRefusal
}

/// Speed and engine speed as last answered; of several ECUs the highest of one reply.
struct Motion: BitwiseCopyable {
  /// PID 0D, km/h.
  var speed: Double?
  /// PID 0C, rpm.
  var engineSpeed: Double?
  var readAt: Int64 = 0
}
