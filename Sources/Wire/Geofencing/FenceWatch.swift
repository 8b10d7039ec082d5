/// Detects when a vehicle enters, leaves or stays in fences. Each event is reported once, and noise of the receiver
/// causes no events.
///
///     var watch = FenceWatch(set)
///     watch.fix(FenceFix(time: now, latitude: 48.1, longitude: 11.5, hdop: 0.9, vehicleSpeed: 52), into: &handler)
///
/// - An entry or exit is reported when the boundary is outside the error circle around the fix. If the boundary is
///   inside the circle, the event is reported when all fixes of the last 10 s are on the same side of the boundary.
/// - The states of fences do not change while the vehicle is stationary, unless it was carried away (at least 100 m for
///   60 s). A change of position faster than 80 m/s is ignored.
/// - If two fixes are at most 10 s apart, the path between them is examined. If part of the path lies in a fence,
///   deeper than the error radius, an enter and an exit are reported with interpolated times.
/// - The first fix sets the states of all fences and reports nothing, unless the rules require enter events.
///
/// The watch reads no clock and writes no output. Only the initializer allocates memory.
public struct FenceWatch: ~Copyable {
  /// The set of fences that is watched.
  public internal(set) var set: FenceSet
  /// The rules that determine when a change is accepted.
  public let rules: FenceRules
  var motion: Motion
  var last: (place: Place, time: Int64)?
  /// Last position in the saved state from which this watch continues; `nil` if there is none.
  var resumedPosition: GeoPosition?
  /// States of the fences that contain the vehicle, and of the fences whose state the last fixes contradict.
  var tracks: [Track] = []
  /// For each fence, the index of its state in `tracks`; −1 if no state is stored, because the vehicle is outside.
  var slots: [Int32] = []
  /// For each fence, whether its state is unknown.
  var isUnknown: [Bool] = []
  var hasUnknown = true
  var near: FenceList
  /// A circle around the last evaluated fix that contains no boundary; `nil` if there is none. All states agree with
  /// that fix, so no state can change until the vehicle leaves the circle.
  var calm: (centre: SpacePoint, radius: Double)?
  /// Boundaries are searched within this radius around the next fix, m. The radius grows while boundaries are far away,
  /// so that fewer of the following fixes need a search. It shrinks while boundaries are near.
  var lookout = 100.0
  var events: [FenceEvent] = []

  /// The state of one fence.
  struct Track: BitwiseCopyable {
    var fence: Int32
    var isInside: Bool
    var hasDwelt = false
    /// Time at which the visit began, ns.
    var since: Int64
    /// Time of the first of consecutive fixes that contradict the state, ns; `nil` if the last fix does not contradict
    /// it.
    var opposedSince: Int64?
  }

  /// Creates a watch and allocates its memory.
  ///
  /// - Parameters:
  ///   - set: the fences.
  ///   - rules: the rules that determine when a change is accepted.
  public init(_ set: FenceSet, rules: FenceRules = FenceRules()) {
    self.set = set
    self.rules = rules
    motion = Motion(rules)
    near = FenceList(capacity: set.fences.count)
    reserveMemory()
  }

  /// Allocates the arrays with the largest size that they can need. Memory pages that are never used cost nothing.
  mutating func reserveMemory() {
    let count = set.fences.count
    tracks = []
    tracks.reserveCapacity(count)
    slots = [Int32](repeating: -1, count: count)
    isUnknown = [Bool](repeating: true, count: count)
    hasUnknown = count > 0
    near = FenceList(capacity: count)
    calm = nil
    events = []
    events.reserveCapacity(2 * count)
  }

  /// Returns whether the vehicle is in a fence, according to the events so far.
  ///
  /// - Parameter fence: index of the fence in the fences of ``set``.
  public func isInside(_ fence: Int) -> Bool {
    slots[fence] >= 0 && tracks[Int(slots[fence])].isInside
  }

  /// The lowest ``Fence/speedLimit`` of the fences that contain the vehicle, in km/h, with its fence; `nil` if there is
  /// none.
  public var speedLimit: (fence: Int, limit: Double)? {
    var lowest: (fence: Int, limit: Double)?
    for track in tracks where track.isInside {
      guard let limit = set.fences.speedLimit(of: Int(track.fence)) else { continue }
      if limit < lowest?.limit ?? .infinity { lowest = (Int(track.fence), limit) }
    }
    return lowest
  }

  /// Evaluates the next fix, and reports the events that it causes.
  ///
  /// - Parameters:
  ///   - fix: the next fix. It is ignored if its position is invalid or its time equals that of the previous fix.
  ///   - handler: receives the events.
  public mutating func fix<Handler: FenceHandler & ~Copyable>(_ fix: FenceFix, into handler: inout Handler) {
    guard fix.position.isOnEarth else { return }
    let place = Place(fix.position)
    if let last, fix.time < last.time { restartClock(fix.time) }
    switch motion.step(fix, at: place.point) {
    case .ignored: return
    case .standing:
      for index in tracks.indices { tracks[index].opposedSince = nil }
      if hasUnknown { decide(place, fix, leg: nil, learnsOnly: true) }
      for index in tracks.indices where tracks[index].isInside { dwell(index, fix) }
    case .moving(let follows):
      if isCalm(place, rules.errorRadius(hdop: fix.hdop)) {
        for index in tracks.indices { dwell(index, fix) }
        break
      }
      let leg = follows ? last.map { Leg(from: $0.place, at: $0.time, to: place, at: fix.time) } : nil
      decide(place, fix, leg: leg, learnsOnly: false)
    }
    last = (place, fix.time)
    deliver(into: &handler)
  }
}
