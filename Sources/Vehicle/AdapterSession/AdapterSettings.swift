import OBDWire

/// The settings that the session has sent to the adapter since the adapter started. When the adapter is initialized
/// again, they are discarded.
struct AdapterSettings: BitwiseCopyable {
  /// Argument of ATST for the usual wait of 205 ms, the default of the data sheet.
  static let usualWait: UInt8 = 0x32
  /// Argument of ATST for the adapter's longest wait of 1,044 ms.
  static let longestWait: UInt8 = 0xFF
  /// Argument of ATSW for one wake-up message every 3 s on a K-line.
  static let usualWakeup: UInt8 = 0x92

  /// The adapter's wait for answers, as last set by ATST, in steps of 4.096 ms; `nil` if unknown.
  var wait: UInt8?
  /// ELM digit (ASCII) of the last selected protocol; `nil` if unknown.
  var selectedProtocol: UInt8?
  var addressing = Addressing.functional
  var busActivity = BusActivity.active
}

/// The ECUs for which the adapter's header and filters are set.
enum Addressing: BitwiseCopyable {
  /// All ECUs, by the functional address of the protocol.
  case functional
  /// One ECU. The adapter has the settings for the addressed request in this row of the ``AddressedTable``. They were
  /// sent at the time `since`.
  case physical(row: Int, since: Int64)
  /// New settings are being sent.
  case changing(AddressChange)

  /// Whether all ECUs are addressed and no change is in progress.
  var isFunctional: Bool { if case .functional = self { true } else { false } }

  /// The row of the addressed request whose settings the adapter has, or whose settings are being reset. `nil` if all
  /// ECUs are addressed, or while settings for one ECU are still being sent.
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
    /// Changes the adapter from the settings that address all ECUs to those for the addressed request in
    /// ``AddressChange/row``.
    case set
    /// Changes the adapter back to the settings that address all ECUs.
    case reset
  }

  /// Row of the addressed request whose settings are sent or reset.
  let row: Int
  let direction: Direction
  var step = 0
  /// Whether ATAR was refused, so that ATCRA without an address is sent instead.
  var usesReceiveReset = false
}

/// Whether the adapter itself sends messages that keep the vehicle awake, and which command has stopped them.
enum BusActivity: BitwiseCopyable, Equatable {
  case active
  /// ATPC was accepted; or the adapter supports neither ATPC nor ATSW00.
  case protocolClosed
  /// ATSW00 was accepted: no wake-up messages are sent on a K-line.
  case wakeupsStopped
  /// ATSW was sent. It is unknown whether the adapter has accepted it.
  case wakeupsUnknown
  /// ATLP was accepted. After a character has woken the adapter, all settings are sent again.
  case lowPower
}
