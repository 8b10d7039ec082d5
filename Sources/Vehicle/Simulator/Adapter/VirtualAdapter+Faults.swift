// Faults that occur by themselves, without a command.
extension VirtualAdapter {
  /// Simulates the next fault that is due.
  ///
  /// - Returns: whether a fault changed something.
  mutating func playFaults() -> Bool {
    if faults.holds(.gps, at: now), nextSentence <= now {
      speakNMEA()
      return true
    }
    guard let due = faults.nextChange(after: faultsPlayed), due <= now else { return false }
    let moments = faults.moments(after: faultsPlayed, upTo: due)
    faultsPlayed = due
    for (_, fault) in moments { happen(fault) }
    if !faults.holds(.trickle, at: now) { line.catchUp(at: now) }
    recordPlug()
    if nextSentence < now { nextSentence = now }
    return true
  }

  /// Restarts the adapter if it has just been plugged in again, because it had no power before.
  private mutating func recordPlug() {
    let isPlugged = isPlugged
    if isPlugged, !wasPlugged {
      line.clear()
      task = nil
      typed = []
      typeahead = []
      restart(banner: model.identity)
      prompt()
      line.clear()
    }
    wasPlugged = isPlugged
  }

  private mutating func happen(_ fault: Fault) {
    switch fault.kind {
    case .garbage: send((0..<Int(fault.number)).map { _ in faults.byte() })
    case .reset: begin(restartAfter: .zero, banner: model.identity)
    case .brownOut:
      line.cutOff(at: now)
      begin(restartAfter: fault.duration, banner: model.identity)
    case .lvReset: begin(restartAfter: .zero, banner: "LV RESET")
    case .actAlert: alert("ACT ALERT")
    case .lpAlert:
      alert("LP ALERT")
      sleepsAt = now + .seconds(2)
    default: break
    }
  }

  private mutating func alert(_ text: String) {
    guard task == nil else { return alerts.append(text) }
    print(text)
    prompt()
  }

  /// Sends the sentences `$GPRMC` and `$GPGGA` of a GPS receiver that does not move.
  private mutating func speakNMEA() {
    let seconds = Int(now.inSeconds)
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60]
      .map { ($0 < 10 ? "0" : "") + String($0) }.joined()
    for body in [
      "GPRMC,\(clock).00,A,4807.0380,N,01131.0000,E,0.0,0.0,150626,,,A",
      "GPGGA,\(clock).00,4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,",
    ] {
      let check = body.utf8.reduce(0, ^)
      for byte in "$\(body)*\(HexDigits.text(check, digits: 2))\r\n".utf8 { line.send(toHost: byte, at: now) }
    }
    nextSentence = now + .seconds(1)
  }
}
