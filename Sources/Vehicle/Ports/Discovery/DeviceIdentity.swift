/// The properties of a serial device by which it can be recognized. Some of them stay the same when `ttyUSB0` becomes
/// `ttyUSB1`; others do not.
public struct DeviceIdentity: Hashable, Sendable {
  /// The properties that identify a USB device.
  public struct USB: Hashable, Sendable {
    /// Vendor ID (`idVendor`).
    public var vendor: UInt16
    /// Product ID (`idProduct`).
    public var product: UInt16
    /// Serial number; empty if the device has none.
    public var serial: String
    /// Name of the manufacturer; empty if the device reports none.
    public var vendorName: String
    /// Name of the product; empty if the device reports none.
    public var productName: String
    /// Number of the serial port's interface in a composite device; -1 if unknown.
    public var interface: Int

    /// Creates USB properties; the parameters are the properties of the same names.
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

  /// Path of the device file, such as `/dev/ttyUSB0`.
  public var node: String
  /// Path of the device's folder in /sys. It stays the same until the device is unplugged.
  public var systemPath: String
  /// Other paths of the device file ``node``: those below /dev/serial/by-id and /dev/serial/by-path, and those that the
  /// machine's udev rules define.
  public var links: [String]
  /// The socket into which the device is plugged (udev's `ID_PATH`); empty if unknown.
  public var place: String
  /// The properties that identify the device on USB; `nil` if it is not a USB device.
  public var usb: USB?
  /// Value of the udev property `OBDGATE`: `adapter` or `ignore`; empty if it is not set.
  public var tag: String

  /// Creates an identity; the parameters are the properties of the same names.
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

  /// A key that does not change if the device is plugged into another USB socket, or gets another device file (such as
  /// `ttyUSB1`). It consists of the USB IDs and the serial number. If the serial number is missing or not unique, the
  /// key contains the USB socket (``place``) instead. If the socket is unknown, too, it contains the device file.
  public var key: String {
    guard let usb else { return place.isEmpty ? node : "path:\(place)" }
    let ids = "\(DeviceIdentity.hex(usb.vendor)):\(DeviceIdentity.hex(usb.product))"
    let interface = usb.interface > 0 ? ":\(usb.interface)" : ""
    if !DeviceIdentity.isShared(usb.serial) { return "usb:\(ids):\(usb.serial)\(interface)" }
    return place.isEmpty ? "usb:\(ids):\(node)" : "usb:\(ids)@\(place)"
  }

  /// Whether a path is that of this device's file or a link to it.
  public func isNamed(_ path: String) -> Bool { path == node || links.contains(path) }

  /// The names of manufacturer and product, for example `ScanTool.net LLC OBDLink SX`; empty if unknown.
  public var label: String {
    guard let usb else { return "" }
    return [usb.vendorName, usb.productName].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Whether many devices have the same serial number. Manufacturers of clones copy serial numbers, and two such
  /// adapters must not be confused.
  private static func isShared(_ serial: String) -> Bool {
    serial.isEmpty || serial == "A50285BI" || serial == "0123456789" || serial == "12345678"
      || serial.utf8.dropLast().allSatisfy { $0 == UInt8(ascii: "0") }
  }

  /// Returns a number as four hexadecimal digits, as lsusb shows it.
  static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
