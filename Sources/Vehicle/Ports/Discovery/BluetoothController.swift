/// A Bluetooth controller known to BlueZ.
public struct BluetoothController: Hashable, Sendable {
  /// Name, such as `hci0`.
  public var name: String
  /// Whether the controller is on (org.bluez.Adapter1, `Powered`).
  public var isPowered: Bool

  /// Creates a controller.
  public init(name: String, isPowered: Bool) {
    self.name = name
    self.isPowered = isPowered
  }
}
