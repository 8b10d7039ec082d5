import Failures

/// The reason why devices cannot be listed, as one line for people. The gateway continues without them.
public typealias DiscoveryError = PlacedError<DiscoveryErrorKind>

/// The kind of a ``DiscoveryError``.
public enum DiscoveryErrorKind: Sendable {
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
