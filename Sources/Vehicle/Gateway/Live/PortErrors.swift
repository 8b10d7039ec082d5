import Ports
import Synchronization

/// Why lines could not be opened, in the ports' own words: records have the kind alone, and the log says what would be right,
/// too. Lines put it, the thread that makes records takes it.
final class PortErrors: Sendable {
  /// More devices than a vehicle has, of which nobody asks, are forgotten.
  private static let mostDevices = 64

  private let portErrors = Mutex<[String: PortError]>([:])

  /// - Parameter device: as records call it.
  func put(_ error: PortError, of device: String) {
    portErrors.withLock { portErrors in
      if portErrors.count >= Self.mostDevices { portErrors = [:] }
      portErrors[device] = error
    }
  }

  /// What was put of a device last, once; nil where the device is lost for another reason than that.
  func take(_ device: String, _ reason: String?) -> String? {
    let error = portErrors.withLock { $0.removeValue(forKey: device) }
    return error.flatMap { "\($0.kind)" == reason ? $0.detail : nil }
  }
}
