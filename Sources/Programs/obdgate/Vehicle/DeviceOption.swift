import ArgumentParser
import Failures
import Ports

/// The option that selects the adapter of a command.
struct DeviceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The adapter: /dev/ttyUSB0, /dev/ttyUSB0@115200, HOST:PORT, rfcomm:ADDRESS or ble:ADDRESS. Default: the one found.",
      valueName: "device"),
    completion: .file())
  var device: String?

  func validate() throws {
    guard let device else { return }
    do throws(PortError) {
      _ = try PortAddress(parsing: device)
    } catch {
      throw ValidationError("--device \(error.description)")
    }
  }

  /// Returns the address of the adapter that the user has named. If the user has named none, exactly one adapter must
  /// be found.
  func address() throws(Failure) -> PortAddress {
    guard let device else { return try LocalDevices().onlyAdapter() }
    do throws(PortError) {
      return try PortAddress(parsing: device)
    } catch {
      throw Failure(.usage, "--device \(error.description)")
    }
  }
}
