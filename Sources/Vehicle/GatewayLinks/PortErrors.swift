import Ports
import Synchronization

/// The last error of each device whose link could not be opened. Records contain only the kind of an error; the log
/// also contains its text, which states the remedy. Links store their errors here. The record thread removes and logs
/// them.
package final class PortErrors: Sendable {
  /// Maximum number of devices. No vehicle has so many. If it is reached, all stored errors are discarded.
  private static let mostDevices = 64

  package init() {}

  private let errors = Mutex<[String: PortError]>([:])

  /// Stores the last error of a device.
  ///
  /// - Parameter device: the device's name in records.
  package func put(_ error: PortError, of device: String) {
    errors.withLock { errors in
      if errors.count >= Self.mostDevices { errors = [:] }
      errors[device] = error
    }
  }

  /// Removes the last error of a device. Returns the error's detail if its kind is `reason`; `nil` if there is no such
  /// error.
  package func pop(_ device: String, _ reason: String?) -> String? {
    let error = errors.withLock { $0.removeValue(forKey: device) }
    return error.flatMap { "\($0.kind)" == reason ? $0.detail : nil }
  }
}
