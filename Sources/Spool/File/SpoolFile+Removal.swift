import Telemetry

extension SpoolFile {
  /// Removes the records that every sink has.
  func removeAcknowledged(_ sinks: [SinkProgress], _ draft: inout Draft) throws(SQLiteError) {
    guard let first = sinks.first, sinks.contains(where: \.hasNewAcknowledgements) else { return }
    for lane in Lane.allCases {
      var everyone = first.lanes[lane.rawValue].acknowledged
      for sink in sinks.dropFirst() { everyone = everyone.intersection(sink.lanes[lane.rawValue].acknowledged) }
      for range in everyone.ranges {
        try remove(range, from: lane, &draft)
        if lane == .events { try forgetTold(range) }
      }
    }
  }

  /// Drops what is too much: the oldest telemetry, and events once there is none.
  func keepWithin(_ bounds: Bounds, _ sinks: [SinkProgress], _ draft: inout Draft) throws(SQLiteError) {
    if bounds.age != .max { try dropOld(bounds, sinks, &draft) }
    guard try usedBytes() > bounds.bytes else { return }
    // More than needed, so that a full spool tells of a few large gaps and not of one in each commit.
    let aim = bounds.bytes - bounds.bytes / 32
    for lane in [Lane.telemetry, .events] {
      while try usedBytes() > aim {
        let oldest = try look(lane, behind: 0, count: 256)
        guard !oldest.isEmpty else { break }
        try drop(oldest[...], from: lane, sinks, &draft)
      }
    }
  }

  private func dropOld(_ bounds: Bounds, _ sinks: [SinkProgress], _ draft: inout Draft) throws(SQLiteError) {
    for lane in [Lane.telemetry, .events] {
      while true {
        let oldest = try look(lane, behind: 0, count: 256)
        let old = oldest.prefix { age(boot: $0.boot, time: $0.time, now: bounds.now) > bounds.age }
        if !old.isEmpty { try drop(old, from: lane, sinks, &draft) }
        if old.count < 256 { break }
      }
    }
  }

  /// How old a record is, as far as that is known: of an earlier boot without a clock, at least as old as this one.
  func age(boot other: Int64, time: Int64, now: Int64) -> Int64 {
    if other == boot { return now &- time }
    let then = clock.wall(boot: other, time: time)
    let wall = clock.latest(boot: boot)
    // A clock that may be wrong must not make records old.
    guard then.quality != .unset, wall.isFinal else { return now }
    return max((now &+ wall.offset) &- (time &+ then.offset), now)
  }

  /// Drops the oldest records of a lane, some hundred at a time; what this commit dropped before is told with them.
  private func drop(
    _ records: ArraySlice<Look>, from lane: Lane, _ sinks: [SinkProgress], _ draft: inout Draft
  ) throws(SQLiteError) {
    guard let first = records.first?.sequence, let last = records.last?.sequence else { return }
    try remove(0...last, from: lane, &draft)
    draft.dropped[lane.rawValue] = last
    let names = records.map { ($0.sequence, $0.type) }
    let losses = Loss.of(names, epoch: epoch, sinks: sinks.map(\.name), reason: .spoolFull) { sink, sequence in
      sinks[sink].lanes[lane.rawValue].acknowledged.contains(sequence)
    }
    for loss in losses { try add(loss, &draft) }
    if lane == .events { try oweAgain(first...last, &draft) }
  }

  /// What it is to the sinks that no record leaves any more; nothing of that is written down.
  func lossOfAll(_ sinks: [SinkProgress]) throws(SQLiteError) -> [Loss] {
    var losses: [Loss] = []
    for lane in Lane.allCases {
      var place: UInt64 = 0
      while true {
        let records = try look(lane, behind: place, count: 256)
        guard let last = records.last?.sequence else { break }
        place = last
        let names = records.map { ($0.sequence, $0.type) }
        let more = Loss.of(names, epoch: epoch, sinks: sinks.map(\.name), reason: .damagedSpool) { sink, sequence in
          sinks[sink].lanes[lane.rawValue].acknowledged.contains(sequence)
        }
        for loss in more {
          let isMerged = losses.indices.contains { losses[$0].merge(loss) }
          if !isMerged { losses.append(loss) }
        }
      }
    }
    return losses
  }

  /// Removes records that were found damaged, and says so.
  func tellDamaged(_ sinks: [SinkProgress], _ draft: inout Draft) throws(SQLiteError) {
    for (lane, sequence) in damaged {
      try remove(sequence...sequence, from: lane, &draft)
      try add(Loss(.damagedSpool, epoch: epoch, sequences: sequence...sequence, count: 1), &draft)
      if lane == .events { try oweAgain(sequence...sequence, &draft) }
    }
  }

  private func remove(_ range: ClosedRange<UInt64>, from lane: Lane, _ draft: inout Draft) throws(SQLiteError) {
    try with(lane) { lane throws(SQLiteError) in
      lane.remove.bind(range.lowerBound, at: 1)
      lane.remove.bind(min(range.upperBound, UInt64(Int64.max)), at: 2)
      try lane.remove.run()
    }
    draft.counts[lane.rawValue] -= connection.changes
  }

  /// A record without its line.
  private struct Look {
    let sequence: UInt64
    let type: RecordType
    let boot: Int64
    let time: Int64
  }

  /// The records behind a number.
  private func look(_ lane: Lane, behind sequence: UInt64, count: Int64) throws(SQLiteError) -> [Look] {
    try with(lane) { lane throws(SQLiteError) in
      var found: [Look] = []
      lane.look.bind(sequence, at: 1)
      lane.look.bind(count, at: 2)
      while try lane.look.next() {
        // A type that cannot be: the record is damaged, and is dropped as what its table holds.
        let type = RecordType(rawValue: UInt8(truncatingIfNeeded: lane.look.number(1))) ?? .telemetry
        let (boot, time) = (lane.look.number(2), lane.look.number(3))
        found.append(Look(sequence: lane.look.unsigned(0), type: type, boot: boot, time: time))
      }
      return found
    }
  }
}
