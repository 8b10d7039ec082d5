/// The state of a ``FenceWatch``, which its owner saves before a restart and loads after it.
///
///     let memory = watch.memory(at: now)
///     // after the restart
///     var watch = FenceWatch(set, resuming: memory, at: now)
public struct FenceMemory: Equatable, Sendable {
  /// A visit that has not ended.
  public struct Visit: Equatable, Sendable {
    /// Identifier of the fence.
    public var id: String
    /// Duration of the visit so far, ns. Time without power is not included.
    public var duration: Int64
    /// Whether the dwell event of the visit has been reported.
    public var hasDwelt: Bool

    /// Creates a visit.
    public init(id: String, duration: Int64, hasDwelt: Bool) {
      self.id = id
      self.duration = duration
      self.hasDwelt = hasDwelt
    }
  }

  /// The visits that have not ended.
  public var visits: [Visit]
  /// Hash of the identifiers of all watched fences; 0 if the state of any fence is unknown. If the fences after a
  /// restart have another hash, the first fix sets the state of each fence without a visit, as in a new watch.
  public var fingerprint: UInt64
  /// Last position of the vehicle; `nil` before the first fix.
  public var position: GeoPosition?

  /// Creates a state.
  public init(visits: [Visit], fingerprint: UInt64, position: GeoPosition?) {
    self.visits = visits
    self.fingerprint = fingerprint
    self.position = position
  }
}

extension FenceWatch {
  /// Returns the state to save across a restart.
  ///
  /// - Parameter time: the current time, on the same clock as the times of the fixes.
  public func memory(at time: Int64) -> FenceMemory {
    let visits = tracks.filter(\.isInside).map { track in
      FenceMemory.Visit(
        id: set.fences[Int(track.fence)].id, duration: max(0, time - track.since), hasDwelt: track.hasDwelt)
    }
    // If the state of any fence is unknown, the next run must determine it again. If there was no fix in this run, save
    // the position with which the run began.
    return FenceMemory(
      visits: visits, fingerprint: hasUnknown ? 0 : set.fingerprint, position: last?.place.position ?? resumedPosition)
  }

  /// Creates a watch that continues from the state of an earlier one. A vehicle that was inside a fence is treated as
  /// still inside, so that its exit is reported later.
  ///
  /// - Parameters:
  ///   - set: the fences.
  ///   - rules: the rules that determine when a change is accepted.
  ///   - memory: the saved state. The fences may have changed since it was saved; they are matched by identifier.
  ///   - time: the current time, on the same clock as the times of the next fixes.
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

  /// Replaces the fences. A fence with the same identifier keeps its visit, even if its shape has changed. The next fix
  /// sets the state of new fences, as the first fix of a watch does for all fences. No more events are reported for
  /// removed fences.
  public mutating func reload(_ set: FenceSet) {
    let before = tracks
    let known = Self.indices(of: self.set.fences.map(\.id), in: set)
    let wasUnknown = isUnknown
    self.set = set
    reserveMemory()
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

  /// Returns, for each identifier, the index in a set of the fence with this identifier; `nil` if the set has no such
  /// fence.
  private static func indices(of ids: [String], in set: FenceSet) -> [Int?] {
    guard !ids.isEmpty else { return [] }
    var places: [String: Int] = [:]
    places.reserveCapacity(set.fences.count)
    for (index, fence) in set.fences.enumerated() { places[fence.id] = index }
    return ids.map { places[$0] }
  }
}
