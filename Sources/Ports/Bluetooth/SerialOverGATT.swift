/// A GATT service of a device, as BlueZ shows it.
struct GATTService: Equatable {
  /// Its object on the bus.
  let path: String
  let uuid: BluetoothUUID
}

/// A GATT characteristic, as BlueZ shows it.
struct GATTCharacteristic: Equatable {
  let path: String
  /// The object of its service.
  let service: String
  let uuid: BluetoothUUID
  /// What it can do, in BlueZ' words: `notify`, `write-without-response`, …
  let flags: [String]
  /// The longest packet of the connection (ATT_MTU); nil where BlueZ does not say (before 5.62).
  let mtu: Int?

  /// Whether it sends what was not asked for.
  var notifies: Bool { flags.contains("notify") || flags.contains("indicate") }
  /// Whether it takes bytes without an acknowledgement.
  var takesCommands: Bool { flags.contains("write-without-response") }
  var isWritable: Bool { takesCommands || flags.contains("write") }
}

/// Which two characteristics of a device are its serial line. Bluetooth LE has no profile for one; makers of modules made
/// up their own, and adapters have the module's.
struct SerialOverGATT: Equatable {
  /// Where the device's bytes come from.
  let input: GATTCharacteristic
  /// Where ours go to; it may be the same.
  let output: GATTCharacteristic

  private struct Row {
    let service: BluetoothUUID
    let input: BluetoothUUID
    let output: BluetoothUUID
  }

  /// Most frequent first.
  private static let rows: [Row] = [
    // Modules after TI's CC254x and HM-10: one characteristic for both ways.
    Row(service: BluetoothUUID(0xFFE0), input: BluetoothUUID(0xFFE1), output: BluetoothUUID(0xFFE1)),
    Row(service: BluetoothUUID(0xFFF0), input: BluetoothUUID(0xFFF1), output: BluetoothUUID(0xFFF2)),
    // Nordic's UART: TX and RX as the device sees them.
    Row(service: nordic(1), input: nordic(3), output: nordic(2)),
    // Vgate, vLinker.
    Row(service: BluetoothUUID(0x18F0), input: BluetoothUUID(0x2AF0), output: BluetoothUUID(0x2AF1)),
  ]

  /// 6E40000N-B5A3-F393-E0A9-E50E24DCCA9E
  private static func nordic(_ number: UInt64) -> BluetoothUUID {
    BluetoothUUID(high: 0x6E40_0000_B5A3_F393 | number << 32, low: 0xE0A9_E50E_24DC_CA9E)
  }

  /// Whether a service is one of those that serial lines are made of.
  static func isKnown(_ service: BluetoothUUID) -> Bool { rows.contains { $0.service == service } }

  /// Why a device has no serial line.
  enum Absence: Error, Equatable {
    /// None of the services.
    case noService
    /// In the only ones that it has, nothing can be written to, or nothing tells anything.
    case unusable(BluetoothUUID)
  }

  /// Chooses by service, then by what the characteristics say they can do: in some adapters the two have changed places.
  init(_ services: [GATTService], _ characteristics: [GATTCharacteristic]) throws(Absence) {
    var unusable: BluetoothUUID?
    for row in Self.rows {
      for service in services where service.uuid == row.service {
        if let found = Self.pair(row, characteristics.filter { $0.service == service.path }) {
          self = found
          return
        }
        unusable = unusable ?? row.service
      }
    }
    if let unusable { throw .unusable(unusable) }
    throw .noService
  }

  private init(input: GATTCharacteristic, output: GATTCharacteristic) {
    self.input = input
    self.output = output
  }

  private static func pair(_ row: Row, _ all: [GATTCharacteristic]) -> SerialOverGATT? {
    let inputs = all.filter(\.notifies)
    let outputs = all.filter(\.isWritable)
    // As the maker of the module meant it; the other way round; whatever can.
    for (input, output) in [(row.input, row.output), (row.output, row.input)] {
      guard let from = inputs.first(where: { $0.uuid == input }), let to = outputs.first(where: { $0.uuid == output })
      else { continue }
      return SerialOverGATT(input: from, output: to)
    }
    guard let from = inputs.first, let to = outputs.first else { return nil }
    return SerialOverGATT(input: from, output: to)
  }
}
