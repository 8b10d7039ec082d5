/// The reason why devices cannot be listed, as one line for people. The gateway continues without them.
public struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Kind: Sendable {
    /// A library is not installed.
    case noLibrary
    /// There is no system bus.
    case noBus
    /// No Bluetooth service is on the bus.
    case noBluetoothService
    /// The machine has no Bluetooth controller.
    case noController
    /// This user has no permission.
    case notPermitted
    /// An answer is invalid.
    case malformed
    /// Any other system error.
    case system
  }
  /// The kind of error.
  public let kind: Kind
  /// The problem and its remedy.
  public let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
