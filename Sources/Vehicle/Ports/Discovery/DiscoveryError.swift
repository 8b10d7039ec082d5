import Failures

/// The reason why devices cannot be listed, as one text line for people. The daemon continues without listing them.
public typealias DiscoveryError = PlacedError<DiscoveryErrorKind>

/// The kind of a ``DiscoveryError``.
public enum DiscoveryErrorKind: Sendable {
  /// A library is not installed.
  case noLibrary
  /// There is no system bus.
  case noBus
  /// No Bluetooth service is on the bus.
  case noBluetoothService
  /// This machine has no Bluetooth controller.
  case noController
  /// This user has no permission.
  case notPermitted
  /// An answer of BlueZ is invalid.
  case malformed
  /// Any other system error.
  case system
}
