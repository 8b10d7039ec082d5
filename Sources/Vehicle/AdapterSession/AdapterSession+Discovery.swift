import OBDWire

/// Requests the first readings of a vehicle, and then finds out which PIDs it supports.
extension AdapterSession {
  private static let supportTriesLimit = 2

  /// Requests the first readings after a vehicle was found: up to six important PIDs, whose values can be decoded
  /// without another PID.
  mutating func decideGreeting(firstBase: UInt8) -> Decision {
    connection?.phase = .discovering(base: firstBase, tries: 0)
    let candidates: InlineArray<6, UInt8> = [0x0C, 0x0D, 0x05, 0x04, 0x11, 0x0F]
    var request: ReadRequest?
    let carries = vehicle.bus.isCAN && !memory.quirks.contains(.noMultiPID) ? plan.identifierLimit : 1
    for i in 0..<6 {
      let pid = candidates[i]
      guard car.ecus(supporting: pid) != 0, preferences.period(of: pid) != PollPreferences.never else { continue }
      let identifier = car.isUDS ? 0xF400 | UInt16(pid) : UInt16(pid)
      if request == nil {
        request = .one(car.isUDS ? .dataIdentifier : .currentData, identifier)
      } else if request!.identifierCount < carries {
        _ = request!.add(identifier)
      }
    }
    guard let request else { return .again }
    return .send(Command(request), request, .greeting, limit: pollLimit)
  }

  /// Time limit for the vehicle's reply to a request, ns.
  var pollLimit: Int64 {
    if settings.wait == AdapterSettings.longestWait { return Limit.slowAnswer }
    return vehicle.bus.isCAN || vehicle.bus == .auto ? Limit.poll : Limit.pollKLine
  }

  mutating func decideDiscovery(_ base: UInt8, at now: Int64) -> Decision {
    guard base == 0 || car.ecus(supporting: base) != 0 else {
      finishDiscovery(at: now)
      return .again
    }
    let request: ReadRequest = car.isUDS ? .dataIdentifier(0xF400 | UInt16(base)) : .currentData(base)
    return .send(Command(request), request, .support, limit: pollLimit)
  }

  mutating func handleSupport(_ reply: ReplyObserver, at now: Int64) {
    guard case .discovering(let base, let tries)? = connection?.phase else { return }
    for i in 0..<reply.supportCount { car.learn(reply.support(i)) }
    // A damaged text line may have been an ECU's whole answer, so repeat the request.
    if reply.supportCount == 0 || reply.isDamaged, tries < Self.supportTriesLimit {
      connection?.phase = .discovering(base: base, tries: tries + 1)
    } else if base < 0xE0 {
      connection?.phase = .discovering(base: base + 0x20, tries: 0)
    } else {
      finishDiscovery(at: now)
    }
  }

  private mutating func finishDiscovery(at now: Int64) {
    guard car.ecuCount > 0 else { return loseVehicle(.noData, at: now) }
    events.append(.supportKnown)
    learnDrive()
    isPlanOutdated = true
    connection?.phase = .polling
  }

  /// Starts another discovery if the senders of a reply include an ECU that the last discovery did not find. The ECU
  /// may have woken late, or its earlier answer may have been lost.
  mutating func discoverNewSenders(_ reply: ReplyObserver) {
    guard let connection, connection.isPolling, connection.discoveriesLeft > 0,
      car.ecuCount < VehicleCapabilities.ecuCapacity
    else { return }
    for i in 0..<reply.senderCount where reply.sender(i) != .unknown && car.index(of: reply.sender(i)) == nil {
      self.connection?.discoveriesLeft -= 1
      self.connection?.phase = .discovering(base: 0, tries: 0)
      return
    }
  }
}
