/// A Bluetooth controller that BlueZ has.
public struct BluetoothController: Hashable, Sendable {
  /// `hci0`
  public var name: String
  /// BlueZ has switched it on (org.bluez.Adapter1, `Powered`).
  public var isPowered: Bool

  public init(name: String, isPowered: Bool) {
    self.name = name
    self.isPowered = isPowered
  }
}
