extension FenceWatch {
  /// Evaluates a fix for three groups of fences: those near its position, those near the path to it, and those with a
  /// stored state (``Track``).
  mutating func decide(_ place: Place, _ fix: FenceFix, leg: Leg?, learnsOnly: Bool) {
    let radius = rules.errorRadius(hdop: fix.hdop)
    let margin = max(lookout, radius * 1.001 + 0.01)
    near.begin()
    calm = nil
    var calmRadius = margin
    let reach = place.reach(margin)
    set.tree.search(
      leg?.query(margin: margin)
        ?? BoxQuery(
          west: place.x - reach.x, south: place.y - reach.y, east: place.x + reach.x, north: place.y + reach.y),
      into: &near)
    for track in tracks { near.add(track.fence) }
    for index in near.fences.indices {
      let fence = Int(near.fences[index])
      let standing = set.standing(of: place, at: fence, within: margin)
      calmRadius = min(calmRadius, standing.distance)
      if isUnknown[fence] {
        learn(fence, standing, fix)
      } else if !learnsOnly {
        decide(fence, standing, fix, radius, leg)
      }
    }
    lookout = min(1_000, max(25, 2 * calmRadius))
    // The radius is reduced by 10 %, because distances far from a boundary are less exact.
    if !learnsOnly, !tracks.contains(where: { $0.opposedSince != nil }) { calm = (place.point, calmRadius * 0.9) }
    if hasUnknown {
      for fence in isUnknown.indices { isUnknown[fence] = false }
      hasUnknown = false
    }
  }

  /// Whether no state of a fence can have changed since the last evaluated fix, because no boundary is in the error
  /// circle of this fix or on the path to it.
  func isCalm(_ place: Place, _ radius: Double) -> Bool {
    guard let calm, !hasUnknown else { return false }
    return place.point.distance(to: calm.centre) + radius < calm.radius
  }

  /// Sets the state of a fence whose state was unknown, according to a fix.
  private mutating func learn(_ fence: Int, _ standing: Standing, _ fix: FenceFix) {
    guard standing.isInside else { return }
    if rules.announcesFirstFix {
      enter(fence, at: fix.time, fix.position)
    } else {
      track(Track(fence: Int32(fence), isInside: true, since: fix.time))
    }
    dwell(Int(slots[fence]), fix)
  }

  private mutating func decide(
    _ fence: Int, _ standing: Standing, _ fix: FenceFix, _ radius: Double, _ leg: Leg?
  ) {
    let wasInside = isInside(fence)
    if standing.isInside == wasInside {
      if wasInside {
        tracks[Int(slots[fence])].opposedSince = nil
        dwell(Int(slots[fence]), fix)
      } else {
        if let leg { pass(fence, leg, radius) }
        forget(fence)
      }
      return
    }
    let isClear = standing.distance > radius
    if isClear || hasHeld(fence, fix.time) {
      if wasInside { exit(fence, at: fix.time, fix.position) } else { enter(fence, at: fix.time, fix.position) }
    } else if !wasInside, let leg, let way = set.passage(of: leg, through: fence),
      isDeep(way, leg, fence, radius)
    {
      enter(fence, at: leg.time(at: way.start), leg.position(at: way.start))
    }
    if isInside(fence) { dwell(Int(slots[fence]), fix) }
  }

  /// Reports an enter and an exit event if the vehicle crossed a fence between two fixes that are both outside it.
  private mutating func pass(_ fence: Int, _ leg: Leg, _ radius: Double) {
    guard let way = set.passage(of: leg, through: fence) else { return }
    guard (way.end - way.start) * leg.length > radius else { return }
    // The path may begin inside, because the previous fix was inside but too near to the boundary to be reported. Such
    // a path counts only if it leads deep into the fence.
    if way.start == 0, !isDeep(way, leg, fence, radius) { return }
    enter(fence, at: leg.time(at: way.start), leg.position(at: way.start))
    exit(fence, at: leg.time(at: way.end), leg.position(at: way.end))
  }

  /// Whether the path leads deep into a fence. This means that the middle of the section inside the fence is farther
  /// from the boundary than the error radius.
  private func isDeep(_ way: (start: Double, end: Double), _ leg: Leg, _ fence: Int, _ radius: Double) -> Bool {
    let middle = Place(leg.position(at: (way.start + way.end) / 2))
    let standing = set.standing(of: middle, at: fence, within: radius * 1.001 + 0.01)
    return standing.isInside && standing.distance > radius
  }

  /// Handles a fix that contradicts the state of a fence. Returns whether fixes have contradicted this state for at
  /// least ``FenceRules/hold``.
  private mutating func hasHeld(_ fence: Int, _ time: Int64) -> Bool {
    if slots[fence] < 0 { track(Track(fence: Int32(fence), isInside: false, since: time)) }
    let slot = Int(slots[fence])
    let since = tracks[slot].opposedSince ?? time
    tracks[slot].opposedSince = since
    return time - since >= rules.hold
  }

  // MARK: Changes

  private mutating func enter(_ fence: Int, at time: Int64, _ position: GeoPosition) {
    track(Track(fence: Int32(fence), isInside: true, since: time))
    if set.fences.notifiesOnEntry(fence) { append(.enter, fence, time, position) }
  }

  private mutating func exit(_ fence: Int, at time: Int64, _ position: GeoPosition) {
    forget(fence)
    if set.fences.notifiesOnExit(fence) { append(.exit, fence, time, position) }
  }

  /// Reports a dwell event if the visit is long enough, once in each visit.
  mutating func dwell(_ slot: Int, _ fix: FenceFix) {
    guard tracks[slot].isInside, !tracks[slot].hasDwelt else { return }
    let fence = Int(tracks[slot].fence)
    guard let least = set.fences.dwell(of: fence), fix.time - tracks[slot].since >= least else { return }
    tracks[slot].hasDwelt = true
    append(.dwell, fence, fix.time, fix.position)
  }

  mutating func track(_ track: Track) {
    let fence = Int(track.fence)
    if slots[fence] >= 0 {
      tracks[Int(slots[fence])] = track
    } else {
      slots[fence] = Int32(tracks.count)
      tracks.append(track)
    }
  }

  private mutating func forget(_ fence: Int) {
    guard slots[fence] >= 0 else { return }
    let slot = Int(slots[fence])
    let last = tracks.removeLast()
    if slot < tracks.count {
      tracks[slot] = last
      slots[Int(last.fence)] = Int32(slot)
    }
    slots[fence] = -1
  }

  /// Changes the stored times after the clock was set back. Afterwards, no stored time is later than `time`.
  mutating func restartClock(_ time: Int64) {
    last = nil
    for index in tracks.indices {
      tracks[index].since = min(tracks[index].since, time)
      tracks[index].opposedSince = nil
    }
  }

  // MARK: Events

  private mutating func append(_ kind: FenceEvent.Kind, _ fence: Int, _ time: Int64, _ position: GeoPosition) {
    events.append(FenceEvent(fence: fence, kind: kind, time: time, position: position))
  }

  /// Passes the events of a fix to the handler in the order of their times. Events with the same time have the order of
  /// the fences.
  mutating func deliver<Handler: FenceHandler & ~Copyable>(into handler: inout Handler) {
    for index in events.indices.dropFirst() {
      let event = events[index]
      var place = index
      while place > 0, (events[place - 1].time, events[place - 1].fence) > (event.time, event.fence) {
        events[place] = events[place - 1]
        place -= 1
      }
      events[place] = event
    }
    for index in events.indices { handler.fenceEvent(events[index]) }
    events.removeAll(keepingCapacity: true)
  }
}
