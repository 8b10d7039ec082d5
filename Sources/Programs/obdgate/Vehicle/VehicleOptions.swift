import ArgumentParser
import Failures
import Ports

/// The options that all commands for querying a vehicle have.
struct VehicleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The adapter: /dev/ttyUSB0, /dev/ttyUSB0@115200, HOST:PORT, rfcomm:ADDRESS or ble:ADDRESS. Default: the one found.",
      valueName: "device"),
    completion: .file())
  var device: String?

  @Flag(help: "Print records as JSON lines instead of text.")
  var json = false

  @Option(help: ArgumentHelp("Time limit for the whole command.", valueName: "seconds"))
  var timeout = 60

  func validate() throws {
    guard (1...600).contains(timeout) else { throw ValidationError("--timeout \(timeout): expected 1 to 600 seconds") }
    if let device { _ = try PortAddress(argument: device) }
  }

  /// Prepares a query of the adapter that the user has named. If the user has named none, exactly one adapter must be
  /// found.
  func run(_ name: String) throws(Failure) -> VehicleQueryRun {
    VehicleQueryRun(name: name, address: try Self.address(device), limit: Int64(timeout) * 1_000_000_000)
  }

  /// Returns the address of the adapter that the user has named. If the user has named none, exactly one adapter must
  /// be found.
  static func address(_ device: String?) throws(Failure) -> PortAddress {
    guard let device else { return try LocalDevices().onlyAdapter() }
    do throws(PortError) {
      return try PortAddress(parsing: device)
    } catch {
      throw Failure(.usage, "--device \(error.description)")
    }
  }
}

extension PortAddress {
  /// Parses the argument of the option `--device`.
  ///
  /// - Throws: an error for ArgumentParser that states the expected format.
  init(argument: String) throws {
    do throws(PortError) {
      self = try PortAddress(parsing: argument)
    } catch {
      throw ValidationError("--device \(error.description)")
    }
  }
}
