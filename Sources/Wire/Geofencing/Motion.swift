/// Decides whether a fix is plausible and whether the vehicle moves.
///
/// The position of a parked receiver drifts by metres, and sometimes changes suddenly by hundreds of metres. Whether
/// the vehicle is stationary is therefore decided by its wheel speed or, if that is unknown, by the Doppler speed. The
/// states of fences do not change while the vehicle is stationary, unless it was carried away.
struct Motion {
  enum Step {
    /// The fix is implausible, or has the same time as the previous one.
    case ignored
    /// The vehicle is stationary and was not carried away.
    case standing
    /// The vehicle moves or was carried away. `follows` is `true` if the path from the previous fix may be examined.
    case moving(follows: Bool)
  }

  private struct Observation {
    var point: SpacePoint
    var time: Int64
  }

  private let rules: FenceRules
  private var last: Observation?
  /// Where and when the vehicle stopped; `nil` if it moves.
  private var stand: Observation?
  private var standSaid: Int64 = 0
  /// Last position before a restart; `nil` if unknown, or after the first fix.
  private var resumed: SpacePoint?
  /// Time since which the stationary vehicle has been away from the place where it stopped, ns; `nil` if it is not
  /// away.
  private var awaySince: Int64?
  private var isCarried = false
  /// First fix since the vehicle stopped at which the Doppler speed showed motion; `nil` if there was none.
  private var dopplerStart: Observation?
  /// Distance since `dopplerStart` in m, computed from the Doppler speeds. After a gap between fixes, a speed counts
  /// for at most ``FenceRules/leastMotion``.
  private var dopplerDistance = 0.0
  /// The same distance as `dopplerDistance`, m, but each speed counts for the whole time since the previous fix.
  private var longestDopplerDistance = 0.0
  /// Last of the implausible fixes that agree with each other; `nil` if the last fix was plausible.
  private var doubted: Observation?
  /// Time of the first of the implausible fixes that agree with each other, ns.
  private var doubtedSince: Int64 = 0

  init(_ rules: FenceRules) { self.rules = rules }

  /// Sets the last position before a restart. If the vehicle is stationary at the first fix, and at another place, it
  /// was carried.
  mutating func resume(at point: SpacePoint) { resumed = point }

  mutating func step(_ fix: FenceFix, at point: SpacePoint) -> Step {
    guard let last else { return first(fix, point) }
    let elapsed = fix.time - last.time
    if elapsed == 0 { return .ignored }
    // The clock was set back. Begin as with a first fix.
    if elapsed < 0 {
      self = Motion(rules)
      return first(fix, point)
    }
    let leaps = point.distance(to: last.point) > rules.greatestSpeed * Self.seconds(elapsed)
    if leaps, !isConfirmed(Observation(point: point, time: fix.time)) { return .ignored }
    doubted = nil
    self.last = Observation(point: point, time: fix.time)
    let stood = stand != nil && !isCarried
    judge(fix, Observation(point: point, time: fix.time), elapsed)
    if stand != nil, !isCarried { return .standing }
    return .moving(follows: !leaps && !stood && elapsed <= rules.longestGap)
  }

  private mutating func first(_ fix: FenceFix, _ point: SpacePoint) -> Step {
    let here = Observation(point: point, time: fix.time)
    last = here
    judge(fix, here, 0)
    resumed = nil
    return stand != nil && !isCarried ? .standing : .moving(follows: false)
  }

  /// Whether implausible fixes have agreed with each other long enough to be accepted as the vehicle's position.
  private mutating func isConfirmed(_ here: Observation) -> Bool {
    if let doubted, here.time > doubted.time,
      here.point.distance(to: doubted.point) <= rules.greatestSpeed * Self.seconds(here.time - doubted.time)
    {
      self.doubted = here
      return here.time - doubtedSince >= rules.jumpTime
    }
    doubted = here
    doubtedSince = here.time
    return false
  }

  private mutating func judge(_ fix: FenceFix, _ here: Observation, _ elapsed: Int64) {
    if let speed = fix.vehicleSpeed {
      if speed > 0 { moves() } else { stands(here) }
    } else if let speed = fix.groundSpeed {
      if speed < rules.standingGroundSpeed {
        stands(here)
      } else {
        addDopplerMotion(fix, here, speed, elapsed)
      }
    } else if here.time - standSaid > rules.longestGap {
      moves()
    }
    if let stand { carry(stand, here, elapsed) }
  }

  private mutating func moves() {
    stand = nil
    awaySince = nil
    isCarried = false
    dopplerStart = nil
  }

  private mutating func stands(_ here: Observation) {
    standSaid = here.time
    dopplerStart = nil
    if stand == nil { stand = Observation(point: resumed ?? here.point, time: here.time) }
  }

  /// Decides whether the motion that the Doppler speed shows is real. If it is, the vehicle counts as moving.
  ///
  /// The distance from uninterrupted Doppler speeds must exceed the width of the error circle, and the position must
  /// have changed by about this distance. Noise does not meet both conditions, and a sudden change of position is much
  /// greater than the distance from Doppler speeds.
  private mutating func addDopplerMotion(_ fix: FenceFix, _ here: Observation, _ speed: Double, _ elapsed: Int64) {
    guard stand != nil else { return }
    guard let dopplerStart else {
      dopplerStart = here
      dopplerDistance = 0
      longestDopplerDistance = 0
      return
    }
    // After a gap between fixes, the speed is not assumed for the whole gap.
    dopplerDistance += speed / 3.6 * Self.seconds(min(elapsed, rules.leastMotion))
    longestDopplerDistance += speed / 3.6 * Self.seconds(elapsed)
    let radius = rules.errorRadius(hdop: fix.hdop)
    guard here.time - dopplerStart.time >= rules.leastMotion, dopplerDistance > 2 * radius else { return }
    let way = here.point.distance(to: dopplerStart.point)
    if way >= dopplerDistance / 2, way <= 2 * (longestDopplerDistance + radius) { moves() }
  }

  /// Decides whether a stationary vehicle is being carried. The vehicle is no longer being carried when its position
  /// has changed by less than `carriedDistance` for `carriedTime`.
  private mutating func carry(_ stand: Observation, _ here: Observation, _ elapsed: Int64) {
    let isAway = here.point.distance(to: stand.point) >= rules.carriedDistance
    if isCarried {
      if isAway {
        self.stand = here
      } else if here.time - stand.time >= rules.carriedTime {
        isCarried = false
        awaySince = nil
        self.stand = here
      }
      return
    }
    guard isAway else {
      awaySince = nil
      return
    }
    // Two fixes with a long gap between them do not show where the vehicle was meanwhile.
    let since = elapsed <= rules.carriedTime / 2 ? awaySince ?? here.time : here.time
    awaySince = since
    if here.time - since >= rules.carriedTime {
      isCarried = true
      self.stand = here
    }
  }

  private static func seconds(_ time: Int64) -> Double { Double(time) / 1e9 }
}
