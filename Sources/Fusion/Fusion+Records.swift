import Telemetry

extension Fusion {
  /// Makes a record of what only the caller knows: a trip, a fence, an adapter, a gap.
  ///
  /// Records of the interval that ended before `time` go first, so that `seq` follows the time.
  public mutating func record<Body: RecordBody, Sink: RecordSink & ~Copyable>(
    _ body: Body, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    write(body, at: now, into: &sink)
  }

  /// Makes a record of something that was found out at `time` and happened before, between two fixes: its own time is
  /// `moment`, which is not after `time`.
  public mutating func record<Body: RecordBody, Sink: RecordSink & ~Copyable>(
    _ body: Body, at time: Int64, occurred moment: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    write(body, at: min(moment, now), into: &sink)
  }

  /// Writes a record and hands it on.
  mutating func write<Body: RecordBody, Sink: RecordSink & ~Copyable>(
    _ body: Body, at time: Int64, into sink: inout Sink
  ) {
    line.record(head(Body.type, at: time), body)
    sink.record(line.line, at: time)
  }

  /// What `time` is to the outside: a date, or only a count.
  public func recordTime(_ time: Int64) -> RecordTime {
    if timeQuality == .unset { return .elapsed(nanoseconds: time) }
    return .wall(Timestamp(nanoseconds: time &+ wallOffset), timeQuality)
  }

  /// The head of the next record.
  mutating func head(_ type: RecordType, at time: Int64) -> RecordHead {
    let moment = recordTime(time)
    let head = RecordHead(
      type: type, id: UUIDv7(milliseconds: moment.milliseconds, seed: options.idSeed, number: sequence), time: moment,
      gatewayId: options.gatewayId, vehicleId: vehicleId, epoch: options.epoch, sequence: sequence)
    sequence += 1
    return head
  }
}
