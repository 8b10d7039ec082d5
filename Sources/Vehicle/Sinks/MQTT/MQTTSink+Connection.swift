import Peers
import Ports

// Connecting to the broker, and connecting again after the connection was lost.
extension MQTTSink {
  public mutating func idle(until deadline: Int64, _ wakeUp: SinkWakeUp) -> Delivery {
    var delivery = Delivery()
    do throws(SinkError) {
      while BootClock.now < deadline, events.isEmpty, !wakeUp.isStopping {
        if let connection {
          let (isSignalled, events) = connection.wait(until: min(deadline, connectDeadline), wakeUp)
          try handle(events)
          if BootClock.now >= connectDeadline { throw SinkError(.timedOut, place, "no answer from the broker") }
          if isSignalled { break }
        } else {
          if wakeUp.wait(until: min(deadline, retryAt)) { break }
          if BootClock.now >= retryAt { try begin(wakeUp) }
        }
      }
    } catch {
      fail(error)
      delivery.notBefore = retryAt
    }
    delivery.events = events
    events = []
    return delivery
  }

  /// Waits until the broker has accepted the connection, so that messages can be published.
  mutating func connect(_ wakeUp: SinkWakeUp) throws(SinkError) {
    while true {
      if connection == nil { try begin(wakeUp) }
      guard let connection, !connection.isConnected else { return }
      let events = connection.wait(until: connectDeadline, wakeUp).events
      if wakeUp.isStopping { throw SinkError(.stopped, place, "stopped") }
      try handle(events)
      if BootClock.now >= connectDeadline { throw SinkError(.timedOut, place, "no answer from the broker") }
    }
  }

  private mutating func begin(_ wakeUp: SinkWakeUp) throws(SinkError) {
    connectDeadline = BootClock.now &+ configuration.answerLimit
    connection = try BrokerConnection(
      configuration, level: version.level, clientId: configuration.clientId(of: gatewayFacts.gatewayId),
      status: statusTopic, wakeUp)
  }

  /// Handles all events of the connection except acknowledgements.
  mutating func handle(_ events: [BrokerConnection.Event]) throws(SinkError) {
    // After a rejection, the broker also closes the connection. Only the rejection is handled.
    for case .refused(let reason) in events { return try refused(reason) }
    for event in events {
      switch event {
      case .connected(let most, let packet): try connected(most, packet)
      case .lost(let why, let isSilent):
        // An old broker may close the connection instead of rejecting an unknown version.
        if connectDeadline != .max, isSilent { version.closedWithoutAnswer() }
        throw SinkError(.unreachable, place, why)
      case .acknowledged, .refused: break
      }
    }
  }

  private mutating func connected(_ most: Int, _ packet: Int) throws(SinkError) {
    version.accepted()
    connectDeadline = .max
    window = most == 0 ? configuration.window : min(most, configuration.window)
    packetBytes = packet == 0 ? Int.max : packet
    _ = try connection?.publish(statusTopic, Array("online".utf8), isRetained: true)
  }

  /// Resets the pause between attempts to connect, because the broker has acknowledged a message. An accepted
  /// connection alone does not reset it, because the broker may close the connection after every message.
  mutating func succeeded() {
    backOff.succeeded()
    let isBack = report.succeeded()
    guard isBack || !hasWorked else { return }
    events.append(.working("\(place): connected, MQTT \(version.level == 5 ? "5" : "3.1.1")"))
    hasWorked = true
  }

  private mutating func refused(_ reason: Int) throws(SinkError) {
    let explanation = connection?.explanation(reason) ?? "\(reason)"
    connection = nil
    // If this returns `true`, `connect(_:)` and `idle(until:_:)` connect again immediately, with the other version.
    if version.refused(reason) { return }
    let isOurs = [4, 5, 134, 135, 138, 140].contains(reason)
    throw SinkError(
      isOurs ? .unauthorized : .busy, place, "the broker rejects the connection: \(explanation)")
  }

  /// Handles a failure: closes the connection, reports the error, and sets the time of the next attempt to connect.
  mutating func fail(_ error: SinkError) {
    connection = nil
    connectDeadline = .max
    if error.kind == .stopped {
      retryAt = .min
      return
    }
    if let failing = report.failed(error) { events.append(failing) }
    retryAt = BootClock.now &+ backOff.failed(using: &random)
  }

  private var statusTopic: String {
    "\(configuration.topic)/\(TopicLevel.text(of: gatewayFacts.statusId.utf8))/status"
  }

  /// Publishes `offline`, as the will would, and disconnects properly. It waits at most 300 ms for the broker's
  /// acknowledgement.
  public mutating func finish(_ wakeUp: SinkWakeUp) {
    guard let connection, connection.isConnected else { return }
    let deadline = BootClock.now &+ 300_000_000
    guard let number = try? connection.publish(statusTopic, Array("offline".utf8), isRetained: true) else { return }
    while BootClock.now < deadline {
      let events = connection.wait(until: deadline, nil).events
      if events.contains(where: \.isEnd) { return }
      if events.contains(where: { if case .acknowledged(number, _) = $0 { true } else { false } }) { break }
    }
    connection.disconnect()
    _ = connection.wait(until: 0, nil)
  }
}
