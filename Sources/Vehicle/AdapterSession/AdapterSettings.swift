import OBDWire

/// The settings that the adapter has received since it started. A new initialization discards them.
struct AdapterSettings: BitwiseCopyable {
  /// ATST32, the default of the data sheet: 205 ms.
  static let usualWait: UInt8 = 0x32
  static let longestWait: UInt8 = 0xFF
  /// ATSW92: one wake-up message every 3 s.
  static let usualWakeup: UInt8 = 0x92

  /// ATST, in steps of 4.096 ms; `nil` if unknown.
  var wait: UInt8?
  /// ELM digit (ASCII) of the last selected protocol; `nil` if unknown.
  var selectedProtocol: UInt8?
  var addressing = Addressing.functional
  var busActivity = BusActivity.active
}

/// The ECUs that the adapter's header and filters address.
enum Addressing: BitwiseCopyable {
  /// All ECUs, by the functional address of the protocol.
  case functional
  /// One ECU. The settings are those of a row of the addressed requests. They were sent at the time `since`.
  case physical(row: Int, since: Int64)
  /// The settings are being sent.
  case changing(AddressChange)

  /// Whether all ECUs are addressed and no change is in progress.
  var isFunctional: Bool { if case .functional = self { true } else { false } }

  /// The row of the addressed requests whose settings the adapter has, perhaps only in part; `nil` if all ECUs are
  /// addressed.
  var row: Int? {
    switch self {
    case .functional: nil
    case .physical(let row, _): row
    case .changing(let change): change.direction == .reset ? change.row : nil
    }
  }
}

/// A change of the adapter's header and filters.
struct AddressChange: BitwiseCopyable {
  enum Direction: BitwiseCopyable {
    /// Changes the adapter from the settings of the protocol to those that the addressed request
    /// (``AddressChange/row``) needs.
    case set
    /// Changes the adapter back from the settings for the request to those of the protocol.
    case reset
  }

  /// Row of the addressed request.
  let row: Int
  let direction: Direction
  var step = 0
  /// Whether to send ATCRA without an address, because the adapter refused ATAR.
  var usesReceiveReset = false
}

/// Whether the adapter by itself keeps the bus awake, and which command has stopped this for a sleeping vehicle.
enum BusActivity: BitwiseCopyable, Equatable {
  case active
  /// ATPC was accepted; or the adapter supports neither ATPC nor ATSW00.
  case protocolClosed
  /// ATSW00 was accepted: no wake-up messages are sent on a K-line.
  case wakeupsStopped
  /// ATSW was sent, and its result is unknown.
  case wakeupsUnknown
  /// ATLP was accepted. A character wakes the adapter, and all settings are then sent again.
  case lowPower
}
