import ArgumentParser
import CommandLineSupport
import Failures

/// `obdgate vin`: prints the vehicle identification number (VIN).
struct VINCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vin", abstract: "Shows the vehicle identification number (VIN).")

  @OptionGroup var options: VehicleOptions

  func run() throws {
    do {
      let answer = try options.run("vin").query(.vin)
      var output = OutputStream()
      for record in answer.of("vehicle") {
        if options.json {
          try output.write(record.bytes.span)
        } else {
          try output.write(record["vin"]?.plainText ?? "")
        }
      }
      try output.flush()
      if let failure = answer.failure { throw failure }
      guard let vehicle = answer.of("vehicle").last else {
        if let damage = answer.vinDamage {
          throw Failure(
            .failed,
            "the vehicle's answer was damaged in transit (\(WireErrorText.name(of: damage))): check the connection and try again"
          )
        }
        throw Failure(.failed, "the vehicle does not report a VIN: older vehicles have none")
      }
      if vehicle["vinValid"]?.bool == false {
        StandardError.print("obdgate vin: the VIN that the vehicle sent is not valid")
      }
    } catch let failure as Failure {
      throw failure.reported(by: "vin")
    }
  }
}
