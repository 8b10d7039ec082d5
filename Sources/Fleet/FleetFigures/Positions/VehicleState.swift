import FleetDomain
import Telemetry

/// The state of a vehicle by its newest records.
public enum VehicleState: String, CaseIterable, Sendable {
  /// It drives.
  case moving
  /// It is stationary, and its engine runs.
  case idle
  /// It is stationary, and its engine does not run, or nothing says that it does.
  case parked
  /// There are no records that are new enough to tell.
  case silent

  /// The greatest age in ms of the newest record of a vehicle that moves or idles: 15 minutes.
  public static let longestSilence: Int64 = 900_000
  /// The greatest age in ms of the newest record of a parked vehicle: a day. Gateways sleep while vehicles are parked.
  public static let longestParking: Int64 = 86_400_000
  /// The speed in km/h from which a vehicle moves. Receivers of parked vehicles report less.
  public static let leastSpeed = 3.0

  /// Determines the state of a vehicle.
  ///
  /// - Parameter now: the time for which the state is wanted.
  public init(of known: LastKnown, at now: Timestamp) {
    guard let newest = known.lastRecordAt ?? known.motion?.time ?? known.place?.time else {
      self = .silent
      return
    }
    let age = now.milliseconds - newest.milliseconds
    let state = Self.lastState(known)
    self = age > (state == .parked ? Self.longestParking : Self.longestSilence) ? .silent : state
  }

  /// The state at the time of the newest telemetry.
  private static func lastState(_ known: LastKnown) -> VehicleState {
    // The end of a trip is found after the engine stopped; telemetry from before may still say that it runs.
    if let trip = known.trip, trip.hasEnded, trip.time >= known.motion?.time ?? trip.time { return .parked }
    guard let motion = known.motion else { return .parked }
    if let speed = motion.speed, speed >= leastSpeed { return .moving }
    if let rpm = motion.rpm { return rpm > 0 ? .idle : .parked }
    return .parked
  }
}
