/// Follows one vehicle through its fences and tells what happens at them, once each and without flapping.
///
///     var watch = FenceWatch(set)
///     watch.fix(FenceFix(time: now, latitude: 48.1, longitude: 11.5, hdop: 0.9, vehicleSpeed: 52), into: &handler)
///
/// - A change counts when the error circle around the fix is clear of the boundary, or when it has held (10 s).
/// - While the vehicle stands nothing changes, unless it was carried away (100 m for 60 s). A leap past 80 m/s is ignored.
/// - Between fixes at most 10 s apart the way is looked at: a fence that was crossed in between, farther than the error
///   radius, gives an enter and an exit with the times between.
/// - The first fix sets what is inside and outside, silently unless the rules say otherwise.
///
/// It reads no clock, makes no output, and a fix allocates nothing: all memory is taken when the watch is made.
public struct FenceWatch: ~Copyable {
  /// The fences that are watched.
  public internal(set) var set: FenceSet
  /// When a change counts.
  public let rules: FenceRules
  var motion: Motion
  var last: (place: Place, time: Int64)?
  /// Where the vehicle was when another watch ended.
  var resumedPosition: GeoPosition?
  /// Fences that are not simply outside.
  var tracks: [Track] = []
  /// Where in `tracks` each fence is; −1: outside.
  var slots: [Int32] = []
  /// Fences of which nothing is known yet.
  var isUnknown: [Bool] = []
  var hasUnknown = true
  var near: FenceList
  /// No boundary is nearer to this point than so many m, and all fences are as fixes there say: until the vehicle has left,
  /// nothing can change.
  var calm: (centre: SpacePoint, radius: Double)?
  /// m around the next fix in which boundaries are looked for: farther where few were found, so that many fixes need no
  /// look, nearer where it costs more than it saves.
  var lookout = 100.0
  var events: [FenceEvent] = []

  /// What is remembered of one fence.
  struct Track: BitwiseCopyable {
    var fence: Int32
    var isInside: Bool
    var hasDwelt = false
    /// When the visit began.
    var since: Int64
    /// Since when the fixes have said the opposite.
    var opposedSince: Int64?
  }

  /// - Parameters:
  ///   - set: the fences.
  ///   - rules: when a change counts.
  public init(_ set: FenceSet, rules: FenceRules = FenceRules()) {
    self.set = set
    self.rules = rules
    motion = Motion(rules)
    near = FenceList(capacity: set.fences.count)
    takeMemory()
  }

  /// Arrays as large as they can become. What is not touched of them costs nothing.
  mutating func takeMemory() {
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

  /// Whether the vehicle is in a fence, as far as was told.
  ///
  /// - Parameter fence: index into the fences of ``set``.
  public func isInside(_ fence: Int) -> Bool {
    slots[fence] >= 0 && tracks[Int(slots[fence])].isInside
  }

  /// The lowest ``Fence/speedLimit`` of the fences that the vehicle is in, km/h, and the fence that says so.
  public var speedLimit: (fence: Int, limit: Double)? {
    var lowest: (fence: Int, limit: Double)?
    for track in tracks where track.isInside {
      guard let limit = set.fences.speedLimit(of: Int(track.fence)) else { continue }
      if limit < lowest?.limit ?? .infinity { lowest = (Int(track.fence), limit) }
    }
    return lowest
  }

  /// Takes the next fix of the vehicle. One that is nowhere on Earth, or at the time of the one before, says nothing.
  public mutating func fix<Handler: FenceHandler & ~Copyable>(_ fix: FenceFix, into handler: inout Handler) {
    guard fix.position.isOnEarth else { return }
    let place = Place(fix.position)
    if let last, fix.time < last.time { restartClock(fix.time) }
    switch motion.step(fix, at: place.point) {
    case .ignored: return
    case .standing:
      for index in tracks.indices { tracks[index].opposedSince = nil }
      if hasUnknown { look(place, fix, leg: nil, learnsOnly: true) }
      for index in tracks.indices where tracks[index].isInside { dwell(index, fix) }
    case .moving(let follows):
      if isCalm(place, rules.errorRadius(hdop: fix.hdop)) {
        for index in tracks.indices { dwell(index, fix) }
        break
      }
      let leg = follows ? last.map { Leg(from: $0.place, at: $0.time, to: place, at: fix.time) } : nil
      look(place, fix, leg: leg, learnsOnly: false)
    }
    last = (place, fix.time)
    deliver(into: &handler)
  }
}
