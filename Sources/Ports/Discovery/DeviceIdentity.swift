/// Which serial device this is: what stays the same when `ttyUSB0` becomes `ttyUSB1`, and what does not.
public struct DeviceIdentity: Hashable, Sendable {
  /// What a device on USB says of itself.
  public struct USB: Hashable, Sendable {
    /// `idVendor` and `idProduct` of its descriptor.
    public var vendor: UInt16
    public var product: UInt16
    /// Its texts, empty where it has none.
    public var serial: String
    public var vendorName: String
    public var productName: String
    /// Which of a compound device's interfaces; -1 where unknown.
    public var interface: Int

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

  /// `/dev/ttyUSB0`.
  public var node: String
  /// Its folder in /sys, which names the device as long as it stays plugged in.
  public var systemPath: String
  /// Other names of `node`: below /dev/serial/by-id and /dev/serial/by-path, and what the machine's own rules add.
  public var links: [String]
  /// Where on the machine's buses it sits (udev's `ID_PATH`); empty where unknown.
  public var place: String
  /// nil: not on USB.
  public var usb: USB?
  /// The udev property `OBDGATE`: `adapter` or `ignore`; empty: not set.
  public var tag: String

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

  /// The name to know it again by, wherever it is plugged in and whatever number it gets: by its USB serial number;
  /// where it has none, or one that its whole series shares, by its socket; else by its node.
  public var key: String {
    guard let usb else { return place.isEmpty ? node : "path:\(place)" }
    let ids = "\(DeviceIdentity.hex(usb.vendor)):\(DeviceIdentity.hex(usb.product))"
    let interface = usb.interface > 0 ? ":\(usb.interface)" : ""
    if !DeviceIdentity.isShared(usb.serial) { return "usb:\(ids):\(usb.serial)\(interface)" }
    return place.isEmpty ? "usb:\(ids):\(node)" : "usb:\(ids)@\(place)"
  }

  /// True where that path leads to this device.
  public func isNamed(_ path: String) -> Bool { path == node || links.contains(path) }

  /// What a person knows it by: `ScanTool.net LLC OBDLink SX`; empty where it says nothing.
  public var label: String {
    guard let usb else { return "" }
    return [usb.vendorName, usb.productName].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Serial numbers that makers of clones leave as they found them: two such adapters must not be taken for one.
  private static func isShared(_ serial: String) -> Bool {
    serial.isEmpty || serial == "A50285BI" || serial == "0123456789" || serial == "12345678"
      || serial.utf8.dropLast().allSatisfy { $0 == UInt8(ascii: "0") }
  }

  /// Four digits, as lsusb writes them.
  static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
