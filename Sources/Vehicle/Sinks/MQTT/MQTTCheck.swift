import Ports

/// A test that shows whether a broker would accept the sink's connection.
extension MQTTConfiguration {
  /// Connects to the broker with a random client ID, because the broker would disconnect a running daemon with the same
  /// client ID. The connection has no will, and nothing is published.
  ///
  /// - Parameter limit: time limit for the whole test, ns.
  func check(within limit: Int64) -> PeerCheck {
    let deadline = BootClock.now &+ limit
    do {
      let wakeUp = try SinkWakeUp()
      var version = BrokerVersion()
      for _ in 0..<2 {
        let connection = try BrokerConnection(
          self, level: version.level, clientId: "obdgate-check-\(UInt32.random(in: 0 ... .max))", status: nil, wakeUp,
          lookUpLimit: limit)
        switch try answer(connection, until: deadline, wakeUp) {
        case .connected:
          connection.disconnect()
          _ = connection.wait(until: 0, nil)
          let way = usesTLS ? "TLS" : "no TLS"
          return PeerCheck(
            .takesRecords, "\(url): accepts the connection (MQTT \(version.level == 5 ? "5" : "3.1.1"), \(way))")
        case .refused(let reason):
          if version.refused(reason) { continue }
          return PeerCheck(
            SinkError(
              .unauthorized, url.description, "the broker rejects the connection: \(connection.explanation(reason))"))
        case .lost(let why, let isSilent):
          if isSilent, version.level == 5 {
            version.closedWithoutAnswer()
            continue
          }
          return PeerCheck(SinkError(.unreachable, url.description, why))
        case .acknowledged: break
        }
      }
      return PeerCheck(SinkError(.badAnswer, url.description, "the broker speaks neither MQTT 5 nor 3.1.1"))
    } catch let error as SinkError {
      return PeerCheck(error)
    } catch let error as PortError {
      return PeerCheck(SinkError(.system, url.description, error.detail))
    } catch {
      return PeerCheck(SinkError(.system, url.description, "\(error)"))
    }
  }

  /// Waits until the broker has accepted or rejected the connection.
  private func answer(
    _ connection: BrokerConnection, until deadline: Int64, _ wakeUp: SinkWakeUp
  ) throws(SinkError) -> BrokerConnection.Event {
    while BootClock.now < deadline {
      let events = connection.wait(until: deadline, wakeUp).events
      // After a rejection, the broker also closes the connection. Report the rejection.
      let refusal = events.first { if case .refused = $0 { true } else { false } }
      if let event = refusal ?? events.first { return event }
    }
    throw SinkError(.timedOut, url.description, "no answer from the broker")
  }
}
