import OBDWire

/// Queries the number of the protocol that the vehicle uses, and connects.
extension AdapterSession {
  func decideNaming() -> Decision {
    .send(Command(.protocolNumber), nil, .protocolNumber, limit: Limit.setting)
  }

  mutating func handleProtocolNumber(_ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    var digit: UInt8 = 0
    // In `A6`, the letter means that the protocol was found automatically. Both `A` alone and `AA` mean J1939.
    if reply.textCount > 0 { digit = reply.text[reply.textCount - 1] }
    let isJ1939 = digit == UInt8(ascii: "A") && reply.textCount <= 2
    if case .unsupportedBus = state {
      // The adapter now reports another number: either the vehicle was replaced, or the earlier answer (J1939) was
      // damaged.
      if !isJ1939 { beginSearch() }
      return
    }
    guard case .naming(var naming) = state else { return }
    let isNamed = digit > UInt8(ascii: "0") && digit <= UInt8(ascii: "9")
    naming.tries += 1
    // A single unusable answer may be due to a damaged character: repeat the query.
    if !isNamed, naming.tries < 2 {
      state = .naming(naming)
    } else if isJ1939 {
      enter(.unsupportedBus(nextCheck: now + configuration.codesPeriod))
      vehicle.protocolDigit = UInt8(ascii: "A")
      events.append(.notPolledJ1939)
    } else {
      storeProtocol(isNamed ? digit : nil, naming, at: now)
    }
  }

  /// Stores the protocol and connects, unless the number contradicts the addresses of the ECUs.
  ///
  /// - Parameter digit: ELM digit of the protocol (ASCII); `nil` if the adapter does not report it.
  private mutating func storeProtocol(_ digit: UInt8?, _ naming: Naming, at now: Int64) {
    if digit != nil { unlearn(.noProtocolNumber) } else { learn(.noProtocolNumber) }
    vehicle.bus = digit.map { BusProtocol(elmDigit: $0) } ?? busByAddress
    let kind = car.address(of: 0).kind
    if kind != .unknown, let expected = vehicle.bus.addressKind, expected != kind {
      guard naming.numberTrust == .distrusted else { return verifyNumber(expected) }
      vehicle.bus = busByAddress
    }
    vehicle.protocolDigit = digit ?? UInt8(ascii: "0")
    if let digit { memory.protocolDigit = digit }
    connect(naming, at: now)
  }

  /// Searches again, because the ECU's address cannot occur on the bus that the adapter reports. Either the address or
  /// the reported bus is wrong.
  private mutating func verifyNumber(_ kind: ECUAddress.Kind) {
    enter(.searching(Search(step: SearchStep(isUDS: car.isUDS), numberTrust: .verifying(kind))))
  }

  /// The bus that the addresses of the ECUs indicate. If the addresses are those of a bus older than CAN, they do not
  /// show which of these buses is in use. ISO 9141-2, which has the strictest timing, is then assumed.
  private var busByAddress: BusProtocol {
    switch car.address(of: 0).kind {
    case .can11: .can11
    case .can29: .can29
    case .legacy: .iso9141
    case .unknown: .auto
    }
  }

  private mutating func connect(_ naming: Naming, at now: Int64) {
    let jobs = Job.identification | Job.codes | (wantsParameters ? Job.parameters.bit : 0)
    enter(
      .connected(
        Connection(
          phase: .greeting(firstBase: naming.isSupportDamaged ? 0x00 : 0x20), since: now, jobs: JobQueue(jobs),
          nextCodes: now + configuration.codesPeriod)))
    history.lastLoss = nil
    // If earlier frames had headers, a later text line without a header is damaged.
    dialogue.reader.state(.auto, headers: car.address(of: 0) == .unknown ? .auto : .on)
    let digit = vehicle.protocolDigit
    events.append(history.wasConnected ? .recovered(protocolDigit: digit) : .connected(protocolDigit: digit))
    history.wasConnected = true
    isPlanOutdated = true
  }
}
