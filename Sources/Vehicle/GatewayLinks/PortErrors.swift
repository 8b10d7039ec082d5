import Ports
import Synchronization

/// The last error of each device whose link could not be opened, with its full text. Records contain only the kind of
/// an error; the log also states the remedy. Links store errors, and the record thread removes them.
package final class PortErrors: Sendable {
  /// Maximum number of devices: more than a vehicle has. Errors of further devices are discarded.
  private static let mostDevices = 64

  package init() {}

  private let errors = Mutex<[String: PortError]>([:])

  /// Stores the last error of a device.
  ///
  /// - Parameter device: its name in records.
  package func put(_ error: PortError, of device: String) {
    errors.withLock { errors in
      if errors.count >= Self.mostDevices { errors = [:] }
      errors[device] = error
    }
  }

  /// Removes and returns the detail of a device's last error; `nil` if the device was lost for another reason.
  package func take(_ device: String, _ reason: String?) -> String? {
    let error = errors.withLock { $0.removeValue(forKey: device) }
    return error.flatMap { "\($0.kind)" == reason ? $0.detail : nil }
  }
}
