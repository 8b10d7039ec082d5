import FleetDomain
import Telemetry

/// The state of a vehicle, derived from its newest records.
public enum VehicleState: String, CaseIterable, Sendable {
  /// The vehicle is moving.
  case moving
  /// The vehicle is stationary, and its engine runs.
  case idle
  /// The vehicle is stationary, and its engine does not run, or no record shows that it runs.
  case parked
  /// The newest records are too old to show the state.
  case silent

  /// Maximum age of the newest record of a vehicle that is moving or idle, ms: 15 minutes.
  public static let longestSilence: Int64 = 900_000
  /// Maximum age of the newest record of a parked vehicle, ms: a day. It is longer because gateways sleep while
  /// vehicles are parked.
  public static let longestParking: Int64 = 86_400_000
  /// The speed from which a vehicle counts as moving, km/h. GPS receivers report lower speeds even if a vehicle is
  /// parked.
  public static let leastSpeed = 3.0

  /// Determines the state of a vehicle.
  ///
  /// - Parameter now: the time for which the state is determined.
  public init(of known: LastKnown, at now: Timestamp) {
    guard let newest = known.lastRecordAt ?? known.motion?.time ?? known.place?.time else {
      self = .silent
      return
    }
    let age = now.milliseconds - newest.milliseconds
    let state = Self.lastState(known)
    self = age > (state == .parked ? Self.longestParking : Self.longestSilence) ? .silent : state
  }

  /// Returns the state at the time of the newest telemetry.
  private static func lastState(_ known: LastKnown) -> VehicleState {
    // A trip's end is recorded only some time after the engine stopped. Telemetry from before that may still show a
    // running engine.
    if let trip = known.trip, trip.hasEnded, trip.time >= known.motion?.time ?? trip.time { return .parked }
    guard let motion = known.motion else { return .parked }
    if let speed = motion.speed, speed >= leastSpeed { return .moving }
    if let rpm = motion.rpm { return rpm > 0 ? .idle : .parked }
    return .parked
  }
}
