import Geofencing

/// What a receiver's positions say of motion: how far, and whether it is any.
///
/// A parked receiver wanders by metres and leaps by hundreds. So a fix moves only by its Doppler speed, or, where there
/// is none, by the way in 10 s; and motion counts once it has led away, from its beginning on.
struct GroundMotion: BitwiseCopyable {
  /// What one fix adds.
  struct Step: BitwiseCopyable {
    /// m to count: more than the last leg where this fix proved the legs before it.
    var metres = 0.0
    /// s of them in which fixes came without a longer gap.
    var seconds = 0.0
    /// When the motion that this fix belongs to began; nil: the vehicle stands, or that is not sure yet.
    var movingSince: Int64?
    /// km/h; nil: not known.
    var speed: Double?
  }

  /// m/s past which a change of position is the receiver's error.
  private static let greatestSpeed = 80.0
  /// km/h from which a Doppler speed is motion.
  private static let leastDoppler = 5.0
  /// km/h from which a way in ``window`` is motion: a wander of 25 m in that time is none.
  private static let leastSpeed = 10.0
  /// ns over which a way is measured where there is no Doppler speed.
  private static let window: Int64 = 10_000_000_000
  /// Motion has led away once it is so many m from its beginning…
  private static let leastWay = 50.0
  /// …and has lasted so long, ns.
  private static let leastTime: Int64 = 5_000_000_000

  /// Fixes that leapt and hold together among themselves are believed after this time, ns: what was believed was wrong.
  private static let doubt: Int64 = 10_000_000_000

  private var last: (position: GeoPosition, time: Int64)?
  /// The last of the fixes that leapt away from ``last`` together, and since when they do.
  private var doubted: (position: GeoPosition, time: Int64, since: Int64)?
  /// Since when the vehicle moves, and from where.
  private var start: (position: GeoPosition, time: Int64)?
  private var isProven = false
  /// Legs of motion that is not proven yet.
  private var metres = 0.0
  private var seconds = 0.0

  /// Takes a fix.
  ///
  /// - Parameter speed: Doppler, km/h.
  mutating func step(
    _ position: GeoPosition, speed: Double?, at time: Int64, longestGap: Int64
  ) -> Step {
    guard let last else {
      self.last = (position, time)
      return Step(speed: speed)
    }
    let elapsed = time - last.time
    guard elapsed > 0 else { return Step(speed: speed) }
    if speed == nil, elapsed < Self.window { return Step(movingSince: isProven ? start?.time : nil) }
    let way = position.distance(to: last.position)
    let measured = way / Double(elapsed) * 1e9
    guard measured <= Self.greatestSpeed else {
      doubt(position, at: time)
      return Step(speed: speed)
    }
    doubted = nil
    let isMoving = speed.map { $0 >= Self.leastDoppler } ?? (measured * 3.6 >= Self.leastSpeed)
    defer { self.last = (position, time) }
    // Of a gap only its ends are known: the straight way between is the least that was driven.
    guard isMoving || start != nil && elapsed > longestGap && measured * 3.6 >= Self.leastSpeed else {
      halt()
      return Step(speed: speed ?? 0)
    }
    if start == nil { start = (last.position, last.time) }
    metres += way
    if elapsed <= max(longestGap, 2 * Self.window) { seconds += Double(elapsed) / 1e9 }
    prove(position, time)
    var step = Step(speed: speed ?? measured * 3.6)
    guard isProven else { return step }
    (step.metres, step.seconds, step.movingSince) = (metres, seconds, start?.time)
    (metres, seconds) = (0, 0)
    if !isMoving { halt() }
    return step
  }

  /// A fix that cannot follow on the last: either is wrong.
  private mutating func doubt(_ position: GeoPosition, at time: Int64) {
    guard let before = doubted, time > before.time,
      position.distance(to: before.position) <= Self.greatestSpeed * Double(time - before.time) / 1e9
    else {
      doubted = (position, time, time)
      return
    }
    doubted = (position, time, before.since)
    guard time - before.since >= Self.doubt else { return }
    doubted = nil
    last = (position, time)
    halt()
  }

  private mutating func prove(_ position: GeoPosition, _ time: Int64) {
    guard !isProven, let start, time - start.time >= Self.leastTime else { return }
    isProven = position.distance(to: start.position) >= Self.leastWay
  }

  private mutating func halt() {
    start = nil
    isProven = false
    (metres, seconds) = (0, 0)
  }
}

extension Trip {
  /// A way by positions.
  mutating func addGround(_ step: GroundMotion.Step) {
    pendingMetres += step.metres
    pendingSeconds += step.seconds
  }
}
