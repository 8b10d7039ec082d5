import OBDWire

/// Requests to a single ECU, as signal sets define them. The session first sends the settings for header, filter and
/// flow control to the adapter. Then it sends all due requests that need these settings, and resets the settings.
extension AdapterSession {
  /// Starts to send the address settings for one addressed request, and returns the first step.
  ///
  /// - Parameter row: row of the request in the ``AddressedTable``.
  mutating func setAddress(row: Int) -> Decision {
    settings.addressing = .changing(AddressChange(row: row, direction: .set))
    return .again
  }

  /// Starts to reset the adapter's address settings to those that address all ECUs on this protocol. Returns the first
  /// step.
  mutating func resetAddress() -> Decision {
    guard let row = settings.addressing.row else { return .again }
    settings.addressing = .changing(AddressChange(row: row, direction: .reset))
    return .again
  }

  mutating func decideAddress(_ change: AddressChange, at now: Int64) -> Decision {
    var change = change
    let steps = change.direction == .set ? 8 : 7
    while change.step < steps {
      if let command = command(of: change) {
        settings.addressing = .changing(change)
        return .send(Command(command), nil, .address, limit: Limit.setting)
      }
      change.step += 1
    }
    settings.addressing = change.direction == .set ? .physical(row: change.row, since: now) : .functional
    return .again
  }

  /// Returns the command for the current step of a change; `nil` if this step has nothing to change.
  private func command(of change: AddressChange) -> AdapterCommand? {
    let row = addressed[change.row]
    if change.direction == .set { return setting(change.step, for: row) }
    let functional = ECUHeader.functional(vehicle.bus)
    switch change.step {
    case 0: if case .can29 = functional { return .priority(0x18) }
    case 1: return .header(functional)
    case 2:
      guard row.receiver != .unknown else { return nil }
      return change.usesReceiveReset ? .receiveReset : .receiveAutomatic
    case 3: return row.extendedAddress == nil ? nil : .extendedAddress(nil)
    case 4: return row.testerAddress == nil ? nil : .testerAddress(0xF1)
    case 5: return usesFlowControl(row) ? .flowControlMode(0) : nil
    default: break
    }
    return nil
  }

  private func setting(_ step: Int, for row: AddressedRequest) -> AdapterCommand? {
    switch step {
    case 0:
      guard case .can29(let identifier) = row.header else { return nil }
      return .priority(UInt8(truncatingIfNeeded: identifier >> 24))
    case 1: return .header(row.header)
    case 2: return row.receiver == .unknown ? nil : .receive(row.receiver)
    case 3: return row.extendedAddress.map { .extendedAddress($0) }
    case 4: return row.testerAddress.map { .testerAddress($0) }
    case 5: return usesFlowControl(row) ? .flowControlHeader(row.header) : nil
    case 6: return usesFlowControl(row) ? .flowControlData : nil
    case 7: return usesFlowControl(row) ? .flowControlMode(1) : nil
    default: return nil
    }
  }

  private func usesFlowControl(_ row: AddressedRequest) -> Bool {
    row.needsFlowControl && !memory.quirks.contains(.noFlowControl)
  }

  mutating func handleAddress(_ reply: ReplyObserver, isTimeout: Bool, at now: Int64) {
    guard case .changing(var change) = settings.addressing else { return }
    // After a timeout, the adapter's settings are unknown.
    if isTimeout {
      beginProbing()
      return
    }
    guard reply.failed(.unknownCommand) else {
      doubtedQuirk = []
      change.step += 1
      settings.addressing = .changing(change)
      return
    }
    let quirk: Quirks = change.direction == .set && (5...7).contains(change.step) ? .noFlowControl : .noAddressing
    // A single refusal may be due to a damaged character, or be the answer to an earlier command.
    guard doubtedQuirk == quirk else {
      doubtedQuirk = quirk
      return
    }
    doubtedQuirk = []
    switch change.direction {
    case .set: handleRefusedSetting(change)
    case .reset: handleRefusedReset(change)
    }
  }

  private mutating func handleRefusedSetting(_ change: AddressChange) {
    var change = change
    switch change.step {
    case 5...7:
      learn(.noFlowControl)
      change.step += 1
    case 3, 4: change.step += 1
    default:
      // The header or the filter was refused. Reset the settings that were sent before the refused one.
      learn(.noAddressing)
      isPlanOutdated = true
      change = AddressChange(row: change.row, direction: .reset, step: change.step == 2 ? 0 : 1)
    }
    settings.addressing = .changing(change)
  }

  private mutating func handleRefusedReset(_ change: AddressChange) {
    var change = change
    if change.step == 2, !change.usesReceiveReset {
      change.usesReceiveReset = true
    } else if change.step == 1 || change.step == 2 {
      // The adapter has accepted the header, but refuses to reset it. Only a restart resets it.
      learn(.noAddressing)
      beginProbing()
      return
    } else {
      change.step += 1
    }
    settings.addressing = .changing(change)
  }
}
