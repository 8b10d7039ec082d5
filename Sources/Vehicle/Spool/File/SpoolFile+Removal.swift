import Telemetry

extension SpoolFile {
  /// Removes the records that every sink has acknowledged.
  func removeAcknowledged(_ sinks: [SinkProgress], _ draft: inout Draft) throws(SQLiteError) {
    guard let first = sinks.first, sinks.contains(where: \.hasNewAcknowledgements) else { return }
    for lane in Lane.allCases {
      var everyone = first.lanes[lane.rawValue].acknowledged
      for sink in sinks.dropFirst() { everyone = everyone.intersection(sink.lanes[lane.rawValue].acknowledged) }
      for range in everyone.ranges {
        try remove(range, from: lane, &draft)
        if lane == .events { try removeReported(range) }
      }
    }
  }

  /// Drops records until the limits are met: first the oldest telemetry, then the oldest events.
  func enforceLimit(_ bounds: Bounds, _ sinks: [SinkProgress], _ draft: inout Draft) throws(SQLiteError) {
    if bounds.age != .max { try dropOld(bounds, sinks, &draft) }
    guard try usedBytes() > bounds.bytes else { return }
    // Drop more records than necessary. This makes a few large gaps instead of a small gap in each commit.
    let aim = bounds.bytes - bounds.bytes / 32
    for lane in [Lane.telemetry, .events] {
      while try usedBytes() > aim {
        let oldest = try scan(lane, behind: 0, count: 256)
        guard !oldest.isEmpty else { break }
        try drop(oldest[...], from: lane, sinks, &draft)
      }
    }
  }

  private func dropOld(_ bounds: Bounds, _ sinks: [SinkProgress], _ draft: inout Draft) throws(SQLiteError) {
    for lane in [Lane.telemetry, .events] {
      while true {
        let oldest = try scan(lane, behind: 0, count: 256)
        let old = oldest.prefix { age(boot: $0.boot, time: $0.time, now: bounds.now) > bounds.age }
        if !old.isEmpty { try drop(old, from: lane, sinks, &draft) }
        if old.count < 256 { break }
      }
    }
  }

  /// Returns the age of a record, ns. If the record is from an earlier boot and its age is unknown, returns its minimum
  /// age: the time since the start of the current boot.
  func age(boot other: Int64, time: Int64, now: Int64) -> Int64 {
    if other == boot { return now &- time }
    let then = clock.wall(boot: other, time: time)
    let wall = clock.latest(boot: boot)
    // A record must not expire because of a date that may be wrong.
    guard then.quality != .unset, wall.isFinal else { return now }
    return max((now &+ wall.offset) &- (time &+ then.offset), now)
  }

  /// Drops the given records, which are the oldest of a lane, and stores the losses that result. One call drops at most
  /// a few hundred records.
  private func drop(
    _ records: ArraySlice<ScanResult>, from lane: Lane, _ sinks: [SinkProgress], _ draft: inout Draft
  ) throws(SQLiteError) {
    guard let first = records.first?.sequence, let last = records.last?.sequence else { return }
    try remove(0...last, from: lane, &draft)
    draft.dropped[lane.rawValue] = last
    let names = records.map { ($0.sequence, $0.type) }
    let losses = Loss.of(names, epoch: epoch, sinks: sinks.map(\.name), reason: .spoolFull) { sink, sequence in
      sinks[sink].lanes[lane.rawValue].acknowledged.contains(sequence)
    }
    for loss in losses { try add(loss, &draft) }
    if lane == .events { try markUnreported(first...last, &draft) }
  }

  /// Returns the losses that would result if no more records of the file were delivered. Writes nothing.
  func lossOfAll(_ sinks: [SinkProgress]) throws(SQLiteError) -> [Loss] {
    var losses: [Loss] = []
    for lane in Lane.allCases {
      var place: UInt64 = 0
      while true {
        let records = try scan(lane, behind: place, count: 256)
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

  /// Removes the records that were found to be damaged, and stores the losses that result.
  func removeDamaged(_ sinks: [SinkProgress], _ draft: inout Draft) throws(SQLiteError) {
    for (lane, sequence) in damaged {
      try remove(sequence...sequence, from: lane, &draft)
      try add(Loss(.damagedSpool, epoch: epoch, sequences: sequence...sequence, count: 1), &draft)
      if lane == .events { try markUnreported(sequence...sequence, &draft) }
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

  /// The columns of a record's row that are needed to drop the record.
  private struct ScanResult {
    let sequence: UInt64
    let type: RecordType
    let boot: Int64
    let time: Int64
  }

  /// Returns the first `count` records after a sequence number.
  private func scan(_ lane: Lane, behind sequence: UInt64, count: Int64) throws(SQLiteError) -> [ScanResult] {
    try with(lane) { lane throws(SQLiteError) in
      var found: [ScanResult] = []
      lane.scan.bind(sequence, at: 1)
      lane.scan.bind(count, at: 2)
      while try lane.scan.next() {
        // If the type is invalid, the record is damaged. It counts as telemetry.
        let type = RecordType(rawValue: UInt8(truncatingIfNeeded: lane.scan.number(1))) ?? .telemetry
        let (boot, time) = (lane.scan.number(2), lane.scan.number(3))
        found.append(ScanResult(sequence: lane.scan.unsigned(0), type: type, boot: boot, time: time))
      }
      return found
    }
  }
}
