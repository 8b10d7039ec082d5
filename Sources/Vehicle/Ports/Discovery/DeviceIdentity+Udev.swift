import CUdev
import Glibc

extension DeviceIdentity {
  /// Reads udev's properties of a tty; `nil` if the tty has no hardware because it is a virtual console or a
  /// pseudo-terminal.
  init?(_ device: OpaquePointer) {
    let node = unsafe text(udev_device_get_devnode(device))
    guard !node.isEmpty, unsafe udev_device_get_parent(device) != nil else { return nil }
    let systemPath = unsafe text(udev_device_get_syspath(device))
    var links: [String] = []
    var entry = unsafe udev_device_get_devlinks_list_entry(device)
    while let current = unsafe entry {
      links.append(unsafe text(udev_list_entry_get_name(current)))
      unsafe entry = unsafe udev_list_entry_get_next(current)
    }
    unsafe self.init(
      node: node, systemPath: systemPath, links: links, place: Self.property(device, "ID_PATH"), usb: Self.usb(device),
      tag: Self.property(device, "OBDGATE"))
  }

  private static func usb(_ device: OpaquePointer) -> USB? {
    // The device owns its parent. Therefore, the parent must not be released here.
    let parent = unsafe udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device")
    // The attributes that the device itself reports are preferred to udev's properties.
    func fact(_ attribute: String, _ properties: String...) -> String {
      if let parent = unsafe parent {
        let own = unsafe text(udev_device_get_sysattr_value(parent, attribute))
        if !own.isEmpty { return own }
      }
      for name in properties {
        let value = unsafe property(device, name)
        if !value.isEmpty { return value }
      }
      return ""
    }
    guard unsafe parent != nil || property(device, "ID_BUS") == "usb",
      let vendor = UInt16(fact("idVendor", "ID_USB_VENDOR_ID", "ID_VENDOR_ID"), radix: 16),
      let product = UInt16(fact("idProduct", "ID_USB_MODEL_ID", "ID_MODEL_ID"), radix: 16)
    else { return nil }
    let interface = unsafe property(device, "ID_USB_INTERFACE_NUM")
    return USB(
      vendor: vendor, product: product, serial: fact("serial", "ID_USB_SERIAL_SHORT", "ID_SERIAL_SHORT"),
      vendorName: fact("manufacturer", "ID_USB_VENDOR", "ID_VENDOR"),
      productName: fact("product", "ID_USB_MODEL", "ID_MODEL"), interface: Int(interface, radix: 16) ?? -1)
  }

  private static func property(_ device: OpaquePointer, _ name: String) -> String {
    unsafe text(udev_device_get_property_value(device, name))
  }
}
