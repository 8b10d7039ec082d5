import OBDWire

/// Rejects messages from senders that cannot have answered the request.
///
/// On CAN, ECUs answer a request to all ECUs from the addresses 7E8 to 7EF, or 18DAF1xx (ISO 15765-4). Any other
/// address is damaged, or belongs to a request that the adapter overheard (7E0).
struct SenderFilter: BitwiseCopyable {
  /// Kind of the ECUs' addresses on the bus; `nil` if unknown.
  var kind: ECUAddress.Kind?
  /// Whether the request was sent to a single ECU, whose address a signal set defines.
  var isAddressed = false

  func admits(_ sender: ECUAddress) -> Bool {
    guard sender.kind != .unknown else { return true }
    if let kind, kind != sender.kind { return false }
    guard !isAddressed else { return true }
    return switch sender.kind {
    case .can11: sender.value & 0x7F8 == 0x7E8
    case .can29: sender.value & 0x1FFF_FF00 == 0x18DA_F100
    case .legacy, .unknown: true
    }
  }
}

extension BusProtocol {
  /// Kind of the ECUs' addresses on this bus; `nil` if the bus is unknown.
  var addressKind: ECUAddress.Kind? {
    switch self {
    case .auto: nil
    case .can11: .can11
    case .can29: .can29
    case .j1850pwm, .j1850vpw, .iso9141, .kwp: .legacy
    }
  }
}
