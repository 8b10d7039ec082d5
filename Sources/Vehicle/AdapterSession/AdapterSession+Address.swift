import OBDWire

/// A change of the adapter's header and filters under way.
struct AddressChange: BitwiseCopyable {
  /// Row of the addressed request; -1: back to what the protocol says.
  var target: Int
  var step = 0
  /// ATAR was refused: ATCRA instead.
  var usesReset = false
}

/// Requests to one ECU (services 21 and 22 of signal sets): header, filter and flow control are set, used for all that is
/// due behind them, and taken back.
extension AdapterSession {
  mutating func changeAddress(to target: Int) -> Decision {
    addressChange = AddressChange(target: target)
    return .again
  }

  mutating func decideAddress(at now: Int64) -> Decision {
    while let change = addressChange {
      let steps = change.target >= 0 ? 8 : 7
      guard change.step < steps else {
        address = change.target
        addressSince = now
        addressChange = nil
        break
      }
      if let command = command(of: change) {
        return .send(Command(command), nil, .address, limit: Limit.setting)
      }
      addressChange?.step += 1
    }
    return .again
  }

  /// What a step sends; nil: nothing is to be changed.
  private func command(of change: AddressChange) -> AdapterCommand? {
    if change.target >= 0 { return setting(change.step, for: addressed[change.target]) }
    let former = addressed[address]
    let functional = ECUHeader.functional(bus)
    switch change.step {
    case 0: if case .can29 = functional { return .priority(0x18) }
    case 1: return .header(functional)
    case 2:
      guard former.receiver != .unknown else { return nil }
      return change.usesReset ? .receiveReset : .receiveAutomatic
    case 3: return former.extendedAddress == nil ? nil : .extendedAddress(nil)
    case 4: return former.testerAddress == nil ? nil : .testerAddress(0xF1)
    case 5: return usesFlowControl(former) ? .flowControlMode(0) : nil
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
    guard let change = addressChange else { return }
    // Which settings hold is not known any more.
    if isTimeout {
      beginProbing()
      return
    }
    guard reply.failed(.unknownCommand) else {
      doubtedRefusal = []
      addressChange?.step += 1
      return
    }
    let isFlowControl = change.target >= 0 && (5...7).contains(change.step)
    // One refusal may be a damaged character, or answer what was sent before.
    guard doubtedRefusal == (isFlowControl ? .noFlowControl : .noAddressing) else {
      doubtedRefusal = isFlowControl ? .noFlowControl : .noAddressing
      return
    }
    doubtedRefusal = []
    if change.target < 0 {
      if change.step == 2, !change.usesReset {
        addressChange?.usesReset = true
      } else if change.step == 1 || change.step == 2 {
        // It took the header, but not back: only a new start does.
        learn(.noAddressing)
        beginProbing()
      } else {
        addressChange?.step += 1
      }
      return
    }
    switch change.step {
    case 5...7:
      learn(.noFlowControl)
      addressChange?.step += 1
    case 3, 4: addressChange?.step += 1
    default:
      // Refused at its header or filter: what was set before the refusal is taken back.
      learn(.noAddressing)
      isPlanOutdated = true
      address = change.target
      addressChange = AddressChange(target: -1, step: change.step == 2 ? 0 : 1)
    }
  }
}
