import Ports
import Synchronization

/// The full text of the errors with which links could not be opened. Records have only the kind; the log also states
/// the remedy. Links store errors, and the thread that makes records removes them.
package final class PortErrors: Sendable {
  /// More devices than a vehicle has; above this, errors that nobody takes are discarded.
  private static let mostDevices = 64

  package init() {}

  private let errors = Mutex<[String: PortError]>([:])

  /// Stores the last error of a device, by its name in records.
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
