/// Why devices cannot be looked for. One line for people; the gateway goes on with what it has.
public struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// A library is not installed.
    case noLibrary
    /// No system bus to ask on.
    case noBus
    /// Nobody on the bus who knows of Bluetooth.
    case noBluetoothService
    /// Bluetooth is there, but no controller.
    case noController
    /// This user may not ask.
    case notPermitted
    /// An answer that makes no sense.
    case malformed
    /// Anything else that the system said.
    case system
  }
  public let kind: Kind
  public let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
