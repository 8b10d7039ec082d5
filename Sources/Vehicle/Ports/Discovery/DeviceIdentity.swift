/// The identity of a serial device: properties that remain the same when `ttyUSB0` becomes `ttyUSB1`, and others.
public struct DeviceIdentity: Hashable, Sendable {
  /// The identification of a USB device.
  public struct USB: Hashable, Sendable {
    /// Vendor and product ID (`idVendor` and `idProduct`).
    public var vendor: UInt16
    public var product: UInt16
    /// Serial number and names; empty if the device has none.
    public var serial: String
    public var vendorName: String
    public var productName: String
    /// Number of the interface of a composite device; -1 if unknown.
    public var interface: Int

    /// Creates a USB identification.
    public init(
      vendor: UInt16, product: UInt16, serial: String = "", vendorName: String = "", productName: String = "",
      interface: Int = -1
    ) {
      self.vendor = vendor
      self.product = product
      self.serial = serial
      self.vendorName = vendorName
      self.productName = productName
      self.interface = interface
    }
  }

  /// Device file, such as `/dev/ttyUSB0`.
  public var node: String
  /// Folder in /sys, which is stable until the device is unplugged.
  public var systemPath: String
  /// Other names of `node`, below /dev/serial/by-id and /dev/serial/by-path or from the machine's udev rules.
  public var links: [String]
  /// Location on the machine's buses (udev's `ID_PATH`); empty if unknown.
  public var place: String
  /// USB identification; `nil` if it is not a USB device.
  public var usb: USB?
  /// Value of the udev property `OBDGATE`: `adapter` or `ignore`; empty if it is not set.
  public var tag: String

  /// Creates an identity.
  public init(
    node: String, systemPath: String, links: [String] = [], place: String = "", usb: USB? = nil, tag: String = ""
  ) {
    self.node = node
    self.systemPath = systemPath
    self.links = links
    self.place = place
    self.usb = usb
    self.tag = tag
  }

  /// A key that recognizes the device at any USB socket and with any number. It consists of the USB serial number. If
  /// that is missing or not unique, the key is the location or, if that is unknown, the device file.
  public var key: String {
    guard let usb else { return place.isEmpty ? node : "path:\(place)" }
    let ids = "\(DeviceIdentity.hex(usb.vendor)):\(DeviceIdentity.hex(usb.product))"
    let interface = usb.interface > 0 ? ":\(usb.interface)" : ""
    if !DeviceIdentity.isShared(usb.serial) { return "usb:\(ids):\(usb.serial)\(interface)" }
    return place.isEmpty ? "usb:\(ids):\(node)" : "usb:\(ids)@\(place)"
  }

  /// Returns whether a path leads to this device.
  public func isNamed(_ path: String) -> Bool { path == node || links.contains(path) }

  /// Name for people, such as `ScanTool.net LLC OBDLink SX`; empty if unknown.
  public var label: String {
    guard let usb else { return "" }
    return [usb.vendorName, usb.productName].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Whether many devices share a serial number. Manufacturers of clones copy it, and two such adapters must not be
  /// confused.
  private static func isShared(_ serial: String) -> Bool {
    serial.isEmpty || serial == "A50285BI" || serial == "0123456789" || serial == "12345678"
      || serial.utf8.dropLast().allSatisfy { $0 == UInt8(ascii: "0") }
  }

  /// Returns four hexadecimal digits, as lsusb prints them.
  static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
