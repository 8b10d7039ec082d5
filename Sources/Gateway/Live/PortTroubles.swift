import Ports
import Synchronization

/// Why lines could not be opened, in the ports' own words: records have the kind alone, and the log says what would be right,
/// too. Lines put it, the thread that makes records takes it.
final class PortTroubles: Sendable {
  /// More devices than a vehicle has, of which nobody asks, are forgotten.
  private static let mostDevices = 64

  private let details = Mutex<[String: String]>([:])

  /// - Parameter device: as records call it.
  func put(_ error: PortError, of device: String) {
    details.withLock { details in
      if details.count >= Self.mostDevices { details = [:] }
      details[device] = error.detail
    }
  }

  /// What was put of a device last, once.
  func take(_ device: String) -> String? { details.withLock { $0.removeValue(forKey: device) } }
}
