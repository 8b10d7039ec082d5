import Ports
import TestKit

/// Scenes for a ``BluetoothBed``.
enum Scene {
  static let address = BluetoothAddress("AA:BB:CC:00:00:01")!

  /// A service with one characteristic for both directions.
  static let ffe0 = service(
    "ffe0", [("ffe1", ["read", "write-without-response", "write", "notify"])])
  static let fff0 = service(
    "fff0", [("fff1", ["notify"]), ("fff2", ["write-without-response", "write"])])

  /// - Parameter facts: further members of the device.
  static func adapter(_ services: String = ffe0, _ facts: String = #""sockets": true"#) -> String {
    #"{"devices": [{"address": "\#(address)", "name": "OBDBLE", "services": [\#(services)], \#(facts)}]}"#
  }

  static func service(
    _ uuid: String, _ characteristics: [(uuid: String, flags: [String])], mtu: Int? = nil
  ) -> String {
    let list = characteristics.map { characteristic in
      let flags = characteristic.flags.map { "\"\($0)\"" }.joined(separator: ", ")
      let more = mtu.map { ", \"mtu\": \($0)" } ?? ""
      return "{\"uuid\": \"\(long(characteristic.uuid))\", \"flags\": [\(flags)]\(more)}"
    }
    return "{\"uuid\": \"\(long(uuid))\", \"characteristics\": [\(list.joined(separator: ", "))]}"
  }

  static func long(_ uuid: String) -> String {
    uuid.utf8.count == 4 ? "0000\(uuid)-0000-1000-8000-00805f9b34fb" : uuid
  }
}
