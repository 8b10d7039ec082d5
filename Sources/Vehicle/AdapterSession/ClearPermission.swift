/// A person's explicit request to clear the trouble codes (service 04).
///
/// The permission alone clears nothing. The session reads vehicle speed and engine speed, passes all codes and freeze
/// frames to the handler, and then reads vehicle speed and engine speed again. It sends service 04 only if all four
/// values are 0.
public struct ClearPermission: BitwiseCopyable, Sendable {
  /// Creates a permission from a person's answer.
  ///
  /// - Parameter confirmed: whether the person has confirmed (`obdgate dtc clear --yes`).
  /// - Returns: `nil` if the person has not confirmed.
  public init?(confirmed: Bool) {
    guard confirmed else { return nil }
  }
}

/// The reason why codes were not cleared.
public enum ClearRefusal: UInt8, BitwiseCopyable, Sendable {
  /// The vehicle speed was not 0.
  case moving
  /// The engine speed was not 0.
  case engineRunning
  /// The vehicle did not report its speed or its engine speed, so it may be moving.
  case notProven
  /// Codes or freeze frames could not be read. Clearing would lose them.
  case notSaved
  /// An ECU refused service 04; others may have executed it.
  case refusedByVehicle
  /// No vehicle is connected, or the connection was lost before service 04.
  case notConnected
}

/// Proof that clearing is allowed now: vehicle speed and engine speed were 0 a moment ago. The command for service 04
/// consumes it.
struct ClearProof: ~Copyable {
  /// Maximum age of vehicle speed and engine speed, ns.
  static let maximumAge: Int64 = 2_000_000_000

  /// Creates the proof if clearing is allowed.
  ///
  /// - Parameters:
  ///   - permission: the person's request.
  ///   - motion: vehicle speed and engine speed as the vehicle last reported them.
  ///   - now: the time, ns.
  /// - Throws: the reason why clearing is not allowed.
  init(_ permission: ClearPermission, _ motion: Motion, at now: Int64) throws(ClearRefused) {
    guard let speed = motion.speed, let engineSpeed = motion.engineSpeed, now - motion.readAt <= Self.maximumAge else {
      throw ClearRefused(reason: .notProven)
    }
    guard speed == 0 else { throw ClearRefused(reason: .moving) }
    guard engineSpeed == 0 else { throw ClearRefused(reason: .engineRunning) }
  }
}

/// An error: the codes must not be cleared now.
struct ClearRefused: Error {
  var reason: ClearRefusal
}

/// The last readings of vehicle speed and engine speed. If several ECUs answered, the highest value is used.
struct Motion: BitwiseCopyable {
  /// Vehicle speed (PID 0D), km/h; `nil` if no ECU has answered.
  var speed: Double?
  /// Engine speed (PID 0C), rpm; `nil` if no ECU has answered.
  var engineSpeed: Double?
  var readAt: Int64 = 0
}
