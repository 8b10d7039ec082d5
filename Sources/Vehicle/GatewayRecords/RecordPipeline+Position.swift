import Fusion
import GatewayLinks
import Geofencing
import NMEAWire
import Telemetry

/// Handles data of receivers: positions for the records of all adapters, the date, and geofence events.
extension RecordPipeline {
  /// Adds a receiver. Returns the number with which ``handle(_:fromReceiver:into:)`` identifies the receiver.
  public mutating func addReceiver(device: String, at time: Int64 = 0) -> Int {
    let number = place.choice.add()
    place.receiverCount += 1
    let receiver = ReceiverSource(device: device, at: time)
    if number < receivers.count { receivers[number] = receiver } else { receivers.append(receiver) }
    return number
  }

  /// Changes the name of a receiver in later records.
  public mutating func setDevice(_ device: String, ofReceiver number: Int) { receivers[number].device = device }

  /// Removes a receiver. Its number may then be given to another receiver.
  public mutating func removeReceiver(_ number: Int) {
    place.choice.remove(number)
    place.receiverCount -= 1
    receivers[number].isClosed = true
  }

  /// Handles a delivery (a fix or an event) of a receiver.
  public mutating func handle<Sink: RecordSink & ~Copyable>(
    _ delivery: FixDelivery, fromReceiver number: Int, into sink: inout Sink
  ) {
    let time = delivery.time
    switch delivery.content {
    case .fix(let fix, let began):
      receivers[number].fixes += 1
      receivers[number].last = (fix, time)
      handle(fix, began: began, from: number, at: time, into: &sink)
    case .connected(let name):
      let identity = String(latin1: name.bytes)
      let event: AdapterRecord.Event = receivers[number].wasLost ? .recovered : .connected
      receivers[number].identity = identity
      receivers[number].wasLost = false
      receivers[number].standing.become(.connected, at: time)
      append(event, of: number, at: time, into: &sink)
    case .lost(let loss):
      receivers[number].wasLost = true
      receivers[number].standing.become(.lost, loss.name.description, at: time)
      append(.lost, of: number, loss.name, at: time, into: &sink)
    case .unreachable(let kind):
      receivers[number].standing.become(.lost, "\(kind)", at: time)
      append(.lost, of: number, "\(kind)", at: time, into: &sink)
    case .refused(let words): append(.error, of: number, String(latin1: words.bytes), at: time, into: &sink)
    case .noSentences:
      receivers[number].standing.become(.searching, "noSentences", at: time)
      append(.error, of: number, "noSentences", at: time, into: &sink)
    case .unreadable(let lines): receivers[number].unreadable &+= UInt64(lines)
    }
  }

  private mutating func append<Sink: RecordSink & ~Copyable>(
    _ event: AdapterRecord.Event, of number: Int, _ reason: String? = nil, at time: Int64, into sink: inout Sink
  ) {
    let receiver = receivers[number]
    // Until the receiver has sent data, its identity in records is `receiver`. Otherwise, readers of the record could
    // take the device for an adapter.
    let record = AdapterRecord(
      event: event, device: receiver.device, identity: receiver.identity ?? "receiver", reason: reason)
    append(record, at: time, into: &sink)
  }

  // MARK: Fixes

  private mutating func handle<Sink: RecordSink & ~Copyable>(
    _ fix: Fix, began: Int64, from number: Int, at time: Int64, into sink: inout Sink
  ) {
    let former = place.choice.chosen
    guard place.choice.update(fix, from: number, at: time) else { return }
    if former != number, place.receiverCount > 1 { append(.positionSource, of: number, at: time, into: &sink) }
    if let event = place.updateDate(fix, began: began) { append(event, of: number, at: time, into: &sink) }
    applyDate()
    let privacy = place.geofences?.privacy(of: fix) ?? place.privacy.everywhere
    // Add the position to the records of all adapters on which a vehicle has answered. If there are no such adapters,
    // use only the first adapter, because two adapters would report every trip twice.
    var hasSpeaker = false
    var first: Int?
    for index in sources.indices where !sources[index].isClosed {
      first = first ?? index
      if sources[index].hasSpoken { hasSpeaker = true }
    }
    for index in sources.indices where !sources[index].isClosed {
      let source = sources[index]
      guard hasSpeaker ? source.hasSpoken : index == first else { continue }
      begin(source)
      source.fusion.fix(fix, at: time, privacy: privacy, into: &sink)
      end(source)
    }
    // If there are no adapters, add the position to the records that belong to no link.
    if first == nil {
      begin(own)
      own.fusion.fix(fix, at: time, privacy: privacy, into: &sink)
      end(own)
    }
    evaluateGeofences(fix, at: time, into: &sink)
  }

  private mutating func append<Sink: RecordSink & ~Copyable>(
    _ event: SatelliteTime.Event, of number: Int, at time: Int64, into sink: inout Sink
  ) {
    switch event {
    case .known: return
    case .rolledOver: append(.quirk, of: number, "weekRollover", at: time, into: &sink)
    case .impossible: append(.error, of: number, "impossibleDate", at: time, into: &sink)
    case .stepped: append(.quirk, of: number, "timeStepped", at: time, into: &sink)
    }
  }

  // MARK: Fences

  /// Replaces the geofences. A visit to a fence continues if the fence is also in the new set.
  ///
  /// - Parameters:
  ///   - set: the new geofences; `nil` to have none.
  ///   - rules: the conditions for geofence events. They are used only if there were no geofences before. Otherwise,
  ///     the previous rules continue to apply.
  ///   - privacy: the precision of positions in records.
  ///   - memory: the states of geofences that an earlier run stored. It is used only if there were no geofences before.
  public mutating func setFences(
    _ set: FenceSet?, _ rules: FenceRules, privacy: PrivacyRules, resuming memory: FenceMemory?, at time: Int64
  ) {
    place.privacy = privacy
    guard let set else {
      place.geofences = nil
      own.fusion.setFenceLimit(nil)
      for index in sources.indices { sources[index].fusion.setFenceLimit(nil) }
      return
    }
    if place.geofences != nil {
      place.geofences?.reload(set, privacy: privacy)
    } else {
      place.geofences = GeofenceRecorder(set, rules: rules, privacy: privacy, resuming: memory, at: time)
    }
  }

  /// Returns the states of the geofences if they have changed since the last call and must be stored; otherwise `nil`.
  ///
  /// - Parameter isLast: whether this is the last call. The states are then returned even if they have not changed.
  public mutating func removeChangedFenceState(at time: Int64, isLast: Bool) -> FenceMemory? {
    guard place.geofences != nil, isLast || place.geofences?.hasChanges ?? false else { return nil }
    place.geofences?.hasChanges = false
    return place.geofences?.memory(at: time)
  }

  private mutating func evaluateGeofences<Sink: RecordSink & ~Copyable>(
    _ fix: Fix, at time: Int64, into sink: inout Sink
  ) {
    guard place.geofences != nil, fix.latitude != nil else { return }
    // All adapters are connected to the gateway's vehicle. Therefore, a speed that any of them reports is the
    // vehicle's.
    var source = own
    var speed: Double?
    for index in sources.indices.reversed() where !sources[index].isClosed {
      source = sources[index]
      speed = source.fusion.vehicleSpeed(at: time) ?? speed
    }
    begin(source)
    place.geofences?.fix(fix, at: time, vehicleSpeed: speed, fusion: &source.fusion, into: &sink)
    end(source)
    let limit = place.geofences?.speedLimit
    own.fusion.setFenceLimit(limit)
    for index in sources.indices where !sources[index].isClosed { sources[index].fusion.setFenceLimit(limit) }
  }
}
