/// What a watch knows, as a plain value that its owner keeps over a restart.
public struct FenceMemory: Equatable, Sendable {
  /// A visit that has not ended.
  public struct Visit: Equatable, Sendable {
    /// The fence's id.
    public var id: String
    /// How long it has lasted, ns; the time without power is not in it.
    public var duration: Int64
    /// Whether its dwell has been told.
    public var hasDwelt: Bool

    public init(id: String, duration: Int64, hasDwelt: Bool) {
      self.id = id
      self.duration = duration
      self.hasDwelt = hasDwelt
    }
  }

  public var visits: [Visit]
  /// Stands for the ids of all fences that were watched. Where it is another set's, the fences that the vehicle was not
  /// in may be new, and the first fix sets them silently.
  public var fingerprint: UInt64
  /// Where the vehicle was last; nil before the first fix.
  public var position: GeoPosition?

  public init(visits: [Visit], fingerprint: UInt64, position: GeoPosition?) {
    self.visits = visits
    self.fingerprint = fingerprint
    self.position = position
  }
}

extension FenceWatch {
  /// What is to be kept over a restart.
  ///
  /// - Parameter time: now, on the clock of the fixes.
  public func memory(at time: Int64) -> FenceMemory {
    let visits = tracks.filter(\.isInside).map { track in
      FenceMemory.Visit(
        id: set.fences[Int(track.fence)].id, duration: max(0, time - track.since), hasDwelt: track.hasDwelt)
    }
    // Where a fence has not been seen yet, another run must learn it, too. Without a fix in this run the place is the one
    // that it began with.
    return FenceMemory(
      visits: visits, fingerprint: hasUnknown ? 0 : set.fingerprint, position: last?.place.position ?? resumedPosition)
  }

  /// Goes on where another watch ended: who was inside is inside, and its exit is told.
  ///
  /// - Parameters:
  ///   - memory: of fences that may since have changed; a fence is known again by its id.
  ///   - time: now, on the clock of the fixes to come.
  public init(_ set: FenceSet, rules: FenceRules = FenceRules(), resuming memory: FenceMemory, at time: Int64) {
    self.init(set, rules: rules)
    let isSameSet = memory.fingerprint == set.fingerprint && memory.position != nil
    if isSameSet { for fence in isUnknown.indices { isUnknown[fence] = false } }
    let indices = Self.indices(of: memory.visits.map(\.id), in: set)
    for (visit, fence) in zip(memory.visits, indices) {
      guard let fence else { continue }
      isUnknown[fence] = false
      track(Track(fence: Int32(fence), isInside: true, hasDwelt: visit.hasDwelt, since: time - visit.duration))
    }
    hasUnknown = isUnknown.contains(true)
    resumedPosition = memory.position
    if let position = memory.position { motion.resume(at: Place(position).point) }
  }

  /// Watches other fences from now on. A fence that was there before, known by its id, keeps its visit, whatever its
  /// form now; the next fix sets new ones as a first fix does. Fences that are gone say nothing any more.
  public mutating func reload(_ set: FenceSet) {
    let before = tracks
    let known = Self.indices(of: self.set.fences.map(\.id), in: set)
    let wasUnknown = isUnknown
    self.set = set
    takeMemory()
    for (old, fence) in known.enumerated() {
      if let fence { isUnknown[fence] = wasUnknown[old] }
    }
    for track in before {
      guard let fence = known[Int(track.fence)] else { continue }
      var track = track
      track.fence = Int32(fence)
      self.track(track)
    }
    hasUnknown = isUnknown.contains(true)
  }

  /// Where the fences of these ids are in a set; nil where they are not.
  private static func indices(of ids: [String], in set: FenceSet) -> [Int?] {
    guard !ids.isEmpty else { return [] }
    var places: [String: Int] = [:]
    places.reserveCapacity(set.fences.count)
    for (index, fence) in set.fences.enumerated() { places[fence.id] = index }
    return ids.map { places[$0] }
  }
}
