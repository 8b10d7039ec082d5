import Failures

/// The reason why devices cannot be listed, with one text line for people. The daemon continues without the list.
public typealias DiscoveryError = PlacedError<DiscoveryErrorKind>

/// The kind of a ``DiscoveryError``.
public enum DiscoveryErrorKind: Sendable {
  /// A library is not installed.
  case noLibrary
  /// The D-Bus system bus does not exist or was lost.
  case noBus
  /// bluetoothd is not on the bus.
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
