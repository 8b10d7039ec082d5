/// A GATT service of a device, as BlueZ reports it.
struct GATTService: Equatable {
  /// Path of the service's D-Bus object.
  let path: String
  let uuid: BluetoothUUID
}

/// A GATT characteristic of a device, as BlueZ reports it.
struct GATTCharacteristic: Equatable {
  let path: String
  /// Path of the D-Bus object of the service to which it belongs.
  let service: String
  let uuid: BluetoothUUID
  /// The operations that the characteristic supports, by BlueZ's names: `notify`, `write-without-response`, …
  let flags: [String]
  /// Maximum size of a packet on this connection (ATT_MTU), bytes; `nil` if unknown, as with BlueZ before 5.62.
  let mtu: Int?

  /// Whether the characteristic can send notifications or indications.
  var notifies: Bool { flags.contains("notify") || flags.contains("indicate") }
  /// Whether the characteristic accepts writes without response.
  var takesCommands: Bool { flags.contains("write-without-response") }
  var isWritable: Bool { takesCommands || flags.contains("write") }
}

/// The two characteristics of a device that form its serial connection. Bluetooth LE has no standard profile for serial
/// connections, so manufacturers of Bluetooth modules have defined their own services, which adapters use.
struct SerialOverGATT: Equatable {
  /// The characteristic through which the device sends bytes.
  let input: GATTCharacteristic
  /// The characteristic to which bytes are written. It may be the same as ``input``.
  let output: GATTCharacteristic

  private struct Row {
    let service: BluetoothUUID
    let input: BluetoothUUID
    let output: BluetoothUUID
  }

  /// The services that are known to contain a serial connection, most common first.
  private static let rows: [Row] = [
    // Modules that are compatible with TI's CC254x and HM-10. One characteristic is for both directions.
    Row(service: BluetoothUUID(0xFFE0), input: BluetoothUUID(0xFFE1), output: BluetoothUUID(0xFFE1)),
    Row(service: BluetoothUUID(0xFFF0), input: BluetoothUUID(0xFFF1), output: BluetoothUUID(0xFFF2)),
    // Nordic's UART service. TX and RX are named from the device's point of view.
    Row(service: nordic(1), input: nordic(3), output: nordic(2)),
    // Services of Vgate and vLinker.
    Row(service: BluetoothUUID(0x18F0), input: BluetoothUUID(0x2AF0), output: BluetoothUUID(0x2AF1)),
  ]

  /// Returns the identifier 6E40000N-B5A3-F393-E0A9-E50E24DCCA9E, where N is `number`.
  private static func nordic(_ number: UInt64) -> BluetoothUUID {
    BluetoothUUID(high: 0x6E40_0000_B5A3_F393 | number << 32, low: 0xE0A9_E50E_24DC_CA9E)
  }

  /// Whether a service is known to contain a serial connection.
  static func isKnown(_ service: BluetoothUUID) -> Bool { rows.contains { $0.service == service } }

  /// The reason why a device has no serial connection.
  enum Absence: Error, Equatable {
    /// The device has no known service.
    case noService
    /// The device has this known service, but the service lacks a characteristic for notifications or a writable
    /// characteristic.
    case unusable(BluetoothUUID)
  }

  /// Finds the two characteristics in the services of a device. First, the identifiers that a known service defines for
  /// input and output are tried. Some adapters have exchanged these two identifiers, so they are then tried in
  /// exchanged roles. Last, any characteristics that support the necessary operations are used.
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
    // Try the roles that are documented, then the exchanged roles, and then any suitable characteristics.
    for (input, output) in [(row.input, row.output), (row.output, row.input)] {
      guard let from = inputs.first(where: { $0.uuid == input }), let to = outputs.first(where: { $0.uuid == output })
      else { continue }
      return SerialOverGATT(input: from, output: to)
    }
    guard let from = inputs.first, let to = outputs.first else { return nil }
    return SerialOverGATT(input: from, output: to)
  }
}
