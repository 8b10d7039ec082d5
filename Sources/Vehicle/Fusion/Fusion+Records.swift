import Telemetry

extension Fusion {
  /// Makes a record from data of the caller, for example a geofence event, an adapter event or a gap.
  ///
  /// If a telemetry interval has ended before `time`, its record is made first, so that the order of records by `seq`
  /// is also their order by time.
  ///
  /// - Parameter body: the fields that follow the head of the record.
  public mutating func record<Body: RecordBody, Sink: RecordSink & ~Copyable>(
    _ body: Body, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    write(body, at: now, into: &sink)
  }

  /// Makes a record of an event that was detected later than it occurred, for example between two fixes.
  ///
  /// - Parameters:
  ///   - body: the fields that follow the head of the record.
  ///   - time: time at which the event was detected.
  ///   - moment: time at which the event occurred. It becomes the record's time, unless it is later than `time`.
  public mutating func record<Body: RecordBody, Sink: RecordSink & ~Copyable>(
    _ body: Body, at time: Int64, occurred moment: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    write(body, at: min(moment, now), into: &sink)
  }

  /// Encodes a record and passes it to the sink.
  mutating func write<Body: RecordBody, Sink: RecordSink & ~Copyable>(
    _ body: Body, at time: Int64, into sink: inout Sink
  ) {
    line.record(head(Body.type, at: time), body)
    sink.record(line.line, at: time)
  }

  /// Converts a time of the caller's clock to a date. If the date is unknown, the result contains the time itself,
  /// which counts from 0 of that clock.
  public func recordTime(_ time: Int64) -> RecordTime {
    if timeQuality == .unset { return .elapsed(nanoseconds: time) }
    return .wall(Timestamp(nanoseconds: time &+ wallOffset), timeQuality)
  }

  /// Makes the head of the next record and increments the sequence number.
  mutating func head(_ type: RecordType, at time: Int64) -> RecordHead {
    let moment = recordTime(time)
    var head = RecordHead(
      type: type, id: UUIDv7(milliseconds: moment.milliseconds, seed: options.idSeed, number: sequence), time: moment,
      gatewayId: options.gatewayId, vehicleId: identity.id, epoch: options.epoch, sequence: sequence)
    // The body of an `adapter` record already contains the device's name.
    if type != .adapter { head.device = device }
    sequence += 1
    return head
  }
}
