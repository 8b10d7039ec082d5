import Failures
import Glibc
import Ports

/// Finds USB devices that should have a serial port but have none. Their driver is missing, or another program uses
/// them.
enum SerialBridges {
  private static let folder = "/sys/bus/usb/devices"

  /// Returns a finding for each USB device that should have a serial port but has none.
  ///
  /// - Parameter present: the serial devices that are present.
  static func without(_ present: [DeviceIdentity], _ rules: DiscoveryRules) -> [Finding] {
    (FolderListing.names(in: folder) ?? []).sorted().compactMap { name in
      guard let path = resolvedPath("\(folder)/\(name)"), let usb = usb(path) else { return nil }
      let identity = DeviceIdentity(node: "", systemPath: path, usb: usb)
      switch rules.verdict(for: identity) {
      case .adapter, .receiver, .listen: break
      case .leave: return nil
      }
      // The folders of the device's serial ports, if there are any, are in the device's own folder.
      guard !present.contains(where: { $0.systemPath.hasPrefix(path + "/") }) else { return nil }
      let title = identity.label.isEmpty ? "" : " (\(identity.label))"
      return Finding(
        .problem, "adapter", "USB device \(hex(usb.vendor)):\(hex(usb.product))\(title) has no serial line",
        remedy: "its driver is missing (dmesg), or brltty has claimed it: apt-get remove brltty, then plug it in again")
    }
  }

  private static func usb(_ path: String) -> DeviceIdentity.USB? {
    guard let vendor = UInt16(attribute(path, "idVendor"), radix: 16),
      let product = UInt16(attribute(path, "idProduct"), radix: 16)
    else { return nil }
    return DeviceIdentity.USB(
      vendor: vendor, product: product, serial: attribute(path, "serial"), vendorName: attribute(path, "manufacturer"),
      productName: attribute(path, "product"))
  }

  private static func attribute(_ path: String, _ name: String) -> String {
    guard let bytes = try? InputFile.contents(of: "\(path)/\(name)", limit: 4_096) else { return "" }
    return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  private static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Resolves the symbolic links in a path (realpath(3)); `nil` if the file does not exist.
  static func resolvedPath(_ path: String) -> String? {
    // The buffer has the maximum length of a path. glibc would allocate one that fits the path that it knows, but a
    // test environment that replaces paths may return a longer path.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe realpath(path, &buffer) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
