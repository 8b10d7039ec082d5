/// A Bluetooth controller of this machine that BlueZ knows.
public struct BluetoothController: Hashable, Sendable {
  /// Name of the controller, such as `hci0`.
  public var name: String
  /// Whether the controller is on (org.bluez.Adapter1, `Powered`).
  public var isPowered: Bool

  /// Creates a description of a controller; the parameters are the properties of the same names.
  public init(name: String, isPowered: Bool) {
    self.name = name
    self.isPowered = isPowered
  }
}
