import Geofencing

/// Derives motion and distance from a receiver's positions.
///
/// The position of a parked receiver wanders by metres and jumps by hundreds of metres. Therefore, motion is not
/// detected from the position of a single fix, but from the receiver's Doppler speed or, if there is none, from the
/// distance covered in 10 s. Motion is confirmed when the vehicle is far enough from the place at which it began to
/// move. The whole distance since that place is then added.
struct GroundMotion: BitwiseCopyable {
  /// The motion since the previous fix.
  struct Step: BitwiseCopyable {
    /// Distance to add, m. If this fix has confirmed the motion, this is the whole distance since the start of the
    /// motion.
    var metres = 0.0
    /// Time in which the distance was covered, s. The time between two fixes is left out if it is longer than
    /// `longestGap` and longer than 2 × ``window``.
    var seconds = 0.0
    /// Time at which the motion began, ns; `nil` if the vehicle is stationary or the motion is not confirmed yet.
    var movingSince: Int64?
    /// Speed, km/h; `nil` if unknown.
    var speed: Double?
  }

  /// If the vehicle must have been faster than this between two positions, one of the two positions is wrong, m/s.
  private static let greatestSpeed = 80.0
  /// Minimum Doppler speed that counts as motion, km/h.
  private static let leastDoppler = 5.0
  /// Minimum speed over ``window`` that counts as motion, km/h. A position that wanders 25 m in that time is not
  /// motion.
  private static let leastSpeed = 10.0
  /// If there is no Doppler speed, the speed is measured over at least this time, ns.
  private static let window: Int64 = 10_000_000_000
  /// Motion is confirmed only if the vehicle is at least this far from the place at which it began to move, m.
  private static let leastWay = 50.0
  /// Motion is confirmed only if at least this time has passed since the vehicle began to move, ns.
  private static let leastTime: Int64 = 5_000_000_000

  /// A jump of the position is accepted if all fixes since the jump have agreed with each other for this time, ns. The
  /// position before the jump was then wrong.
  private static let doubt: Int64 = 10_000_000_000

  private var last: (position: GeoPosition, time: Int64)?
  /// The newest of the fixes that have jumped away from ``last``, and the time since which such fixes have agreed with
  /// each other (`since`). `nil` if no fix has jumped.
  private var doubted: (position: GeoPosition, time: Int64, since: Int64)?
  /// Position and time at which the current motion began; `nil` if the vehicle is stationary.
  private var start: (position: GeoPosition, time: Int64)?
  private var isProven = false
  /// Distance that is not returned yet, because the motion is not confirmed, m.
  private var metres = 0.0
  /// Duration of the motion that is not returned yet, s.
  private var seconds = 0.0

  /// Evaluates a fix.
  ///
  /// - Parameters:
  ///   - speed: Doppler speed, km/h; `nil` if unknown.
  ///   - longestGap: if the time between two fixes is longer than this, nothing is assumed about the motion between
  ///     them, ns.
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
    // If fixes are missing between the two positions, the vehicle has driven at least the straight line.
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

  /// Handles a fix whose distance from the last one is impossibly long, so that one of the two is wrong.
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
  /// Adds a distance that was measured with positions. If the vehicle reports a speed soon afterwards, the distance is
  /// not counted.
  mutating func addGround(_ step: GroundMotion.Step) {
    pendingMetres += step.metres
    pendingSeconds += step.seconds
  }
}
