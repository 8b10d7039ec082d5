import OBDWire

/// Which senders can have answered.
///
/// On CAN, ISO 15765-4 names the addresses that answer a request to all ECUs: 7E8 to 7EF, or 18DAF1xx. Anything else is a
/// request that the adapter has overheard (7E0), or damaged.
struct SenderFilter: BitwiseCopyable {
  /// Of the bus; nil: it is not known yet.
  var kind: ECUAddress.Kind?
  /// The request went to one ECU, whose address a signal set names.
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
  /// The kind of address that ECUs have on it; nil: not known.
  var addressKind: ECUAddress.Kind? {
    switch self {
    case .auto: nil
    case .can11: .can11
    case .can29: .can29
    case .j1850pwm, .j1850vpw, .iso9141, .kwp: .legacy
    }
  }
}
