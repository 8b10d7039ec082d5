/// USB IDs and names of known products, from Linux drivers, from usb.ids, and from kernel logs that users have
/// published.
enum KnownProducts {
  /// The kind of product that a USB ID stands for.
  enum Kind {
    /// A USB-to-serial converter, used by adapters, GPS receivers, printers and machine controllers.
    case bridge
    /// A satellite receiver.
    case receiver
  }
  struct Row {
    let vendor: UInt16
    let product: UInt16
    let kind: Kind
  }

  static let rows: [Row] = [
    // FTDI FT232, FT2232, FT4232, FT232H, FT-X.
    Row(vendor: 0x0403, product: 0x6001, kind: .bridge), Row(vendor: 0x0403, product: 0x6010, kind: .bridge),
    Row(vendor: 0x0403, product: 0x6011, kind: .bridge), Row(vendor: 0x0403, product: 0x6014, kind: .bridge),
    Row(vendor: 0x0403, product: 0x6015, kind: .bridge),
    // QinHeng CH341, CH340, CH340K, CH9102.
    Row(vendor: 0x1A86, product: 0x5523, kind: .bridge), Row(vendor: 0x1A86, product: 0x7523, kind: .bridge),
    Row(vendor: 0x1A86, product: 0x7522, kind: .bridge), Row(vendor: 0x1A86, product: 0x55D4, kind: .bridge),
    // Silicon Labs CP2101…2104, CP2105, CP2108.
    Row(vendor: 0x10C4, product: 0xEA60, kind: .bridge), Row(vendor: 0x10C4, product: 0xEA70, kind: .bridge),
    Row(vendor: 0x10C4, product: 0xEA71, kind: .bridge),
    // Prolific PL2303 and its G series.
    Row(vendor: 0x067B, product: 0x2303, kind: .bridge), Row(vendor: 0x067B, product: 0x23A3, kind: .bridge),
    Row(vendor: 0x067B, product: 0x23B3, kind: .bridge), Row(vendor: 0x067B, product: 0x23C3, kind: .bridge),
    Row(vendor: 0x067B, product: 0x23D3, kind: .bridge), Row(vendor: 0x067B, product: 0x23E3, kind: .bridge),
    Row(vendor: 0x067B, product: 0x23F3, kind: .bridge),
    // u-blox 5, 6, 7, 8/M8, 9.
    Row(vendor: 0x1546, product: 0x01A5, kind: .receiver), Row(vendor: 0x1546, product: 0x01A6, kind: .receiver),
    Row(vendor: 0x1546, product: 0x01A7, kind: .receiver), Row(vendor: 0x1546, product: 0x01A8, kind: .receiver),
    Row(vendor: 0x1546, product: 0x01A9, kind: .receiver),
  ]

  static func kind(_ usb: DeviceIdentity.USB) -> Kind? {
    rows.first { $0.vendor == usb.vendor && $0.product == usb.product }?.kind
  }

  /// Words that occur only in the names of OBD adapters, on USB and Bluetooth: brands, chips, and names of clones, in
  /// lower case. For the comparison, spaces, dashes and underscores in a device's name are ignored.
  static let adapterWords = [
    "obdlink", "scantool", "elmscan", "elm327", "els27", "vlinker", "vlink", "vgate", "obdii", "obd2", "obdkey",
    "obdpro", "stn11", "stn21", "stn22", "veepeak", "viecar", "konnwei", "carista", "icarpro",
    "obdble", "lelink",
  ]

  static func isAdapterName(_ name: String) -> Bool {
    let plain = name.lowercased().filter { $0 != " " && $0 != "-" && $0 != "_" }
    return adapterWords.contains { plain.holds($0) } || plain == "obd"
  }

  /// Whether a name contains GPS or GNSS as a word.
  static func isReceiverName(_ name: String) -> Bool {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.contains { $0 == "gps" || $0 == "gnss" }
  }
}
