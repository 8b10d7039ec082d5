/// Whether a fix can be believed, and whether the vehicle moves.
///
/// A parked receiver wanders by metres and leaps by hundreds; the vehicle's own speed, or else the Doppler speed, says
/// that it stands. What is found while it stands changes no fence, unless it was carried away.
struct Motion {
  enum Step {
    /// Not to be believed, or nothing new.
    case ignored
    /// The vehicle stands where it stood.
    case standing
    /// The vehicle moves, or was carried; `follows` whether the way from the fix before may be looked at.
    case moving(follows: Bool)
  }

  private struct Sighting {
    var point: SpacePoint
    var time: Int64
  }

  private let rules: FenceRules
  private var last: Sighting?
  /// Where the vehicle stood still, and when that was said last.
  private var stand: Sighting?
  private var standSaid: Int64 = 0
  /// Where it was before a restart.
  private var resumed: SpacePoint?
  /// Since when it has been found away from there.
  private var awaySince: Int64?
  private var isCarried = false
  /// Doppler motion since it stood: its beginning and its length in m.
  private var stir: Sighting?
  private var stirred = 0.0
  /// The same where each speed stands for all the time since the fix before, however long.
  private var stirredAtMost = 0.0
  /// Where the fixes are that were not believed, and since when they agree.
  private var doubted: Sighting?
  private var doubtedSince: Int64 = 0

  init(_ rules: FenceRules) { self.rules = rules }

  /// Where the vehicle was before a restart: if it stands, from there it must have been carried.
  mutating func resume(at point: SpacePoint) { resumed = point }

  mutating func step(_ fix: FenceFix, at point: SpacePoint) -> Step {
    guard let last else { return first(fix, point) }
    let elapsed = fix.time - last.time
    if elapsed == 0 { return .ignored }
    // The clock was set back: what hangs on durations begins anew.
    if elapsed < 0 {
      self = Motion(rules)
      return first(fix, point)
    }
    let leaps = point.distance(to: last.point) > rules.greatestSpeed * Self.seconds(elapsed)
    if leaps, !believes(Sighting(point: point, time: fix.time)) { return .ignored }
    doubted = nil
    self.last = Sighting(point: point, time: fix.time)
    let stood = stand != nil && !isCarried
    judge(fix, Sighting(point: point, time: fix.time), elapsed)
    if stand != nil, !isCarried { return .standing }
    return .moving(follows: !leaps && !stood && elapsed <= rules.longestGap)
  }

  private mutating func first(_ fix: FenceFix, _ point: SpacePoint) -> Step {
    let here = Sighting(point: point, time: fix.time)
    last = here
    judge(fix, here, 0)
    resumed = nil
    return stand != nil && !isCarried ? .standing : .moving(follows: false)
  }

  /// Whether fixes that no way leads to have agreed long enough to be true after all.
  private mutating func believes(_ here: Sighting) -> Bool {
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

  private mutating func judge(_ fix: FenceFix, _ here: Sighting, _ elapsed: Int64) {
    if let speed = fix.vehicleSpeed {
      if speed > 0 { moves() } else { stands(here) }
    } else if let speed = fix.groundSpeed {
      if speed < rules.standingGroundSpeed {
        stands(here)
      } else {
        stirs(fix, here, speed, elapsed)
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
    stir = nil
  }

  private mutating func stands(_ here: Sighting) {
    standSaid = here.time
    stir = nil
    if stand == nil { stand = Sighting(point: resumed ?? here.point, time: here.time) }
  }

  /// A vehicle that stood moves once its Doppler speeds, without a pause, add up to more than the error circle is
  /// wide, and its position has moved about as far: noise does not do both, and a leap is far longer than its Doppler.
  private mutating func stirs(_ fix: FenceFix, _ here: Sighting, _ speed: Double, _ elapsed: Int64) {
    guard stand != nil else { return }
    guard let stir else {
      stir = here
      stirred = 0
      stirredAtMost = 0
      return
    }
    // One speed does not speak for a gap.
    stirred += speed / 3.6 * Self.seconds(min(elapsed, rules.leastMotion))
    stirredAtMost += speed / 3.6 * Self.seconds(elapsed)
    let radius = rules.errorRadius(hdop: fix.hdop)
    guard here.time - stir.time >= rules.leastMotion, stirred > 2 * radius else { return }
    let way = here.point.distance(to: stir.point)
    if way >= stirred / 2, way <= 2 * (stirredAtMost + radius) { moves() }
  }

  /// Follows a vehicle that stands on something that moves, until that rests for as long as it took to believe it.
  private mutating func carry(_ stand: Sighting, _ here: Sighting, _ elapsed: Int64) {
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
    // Two fixes with a long gap between them do not say where it was in between.
    let since = elapsed <= rules.carriedTime / 2 ? awaySince ?? here.time : here.time
    awaySince = since
    if here.time - since >= rules.carriedTime {
      isCarried = true
      self.stand = here
    }
  }

  private static func seconds(_ time: Int64) -> Double { Double(time) / 1e9 }
}
