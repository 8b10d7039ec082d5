import ArgumentParser
import Failures

/// The options that all commands for querying a vehicle have.
struct VehicleOptions: ParsableArguments {
  @OptionGroup var adapter: DeviceOption

  @Flag(help: "Print records as JSON lines instead of text.")
  var json = false

  @Option(help: ArgumentHelp("Time limit for the whole command.", valueName: "seconds"))
  var timeout = 60

  func validate() throws {
    guard (1...600).contains(timeout) else { throw ValidationError("--timeout \(timeout): expected 1 to 600 seconds") }
  }

  /// Prepares a query of the adapter that the user has named. If the user has named none, exactly one adapter must be
  /// found.
  func run(_ name: String) throws(Failure) -> VehicleQueryRun {
    VehicleQueryRun(name: name, address: try adapter.address(), limit: Int64(timeout) * 1_000_000_000)
  }
}
