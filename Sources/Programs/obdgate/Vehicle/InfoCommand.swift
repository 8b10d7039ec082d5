import ArgumentParser
import Failures
import JSONText

/// `obdgate info`: shows properties of the adapter and the vehicle.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Shows facts about adapter and vehicle: VIN, ECUs, calibrations, protocol, voltage.",
    discussion: """
      With --json it prints a vehicle record, if the vehicle reports its VIN, and an adapter record with the adapter's \
      properties. --plan adds the requests that a daemon would send, and their periods.
      """)

  @OptionGroup var options: VehicleOptions

  @Flag(help: "Show what a daemon would poll, and how often.")
  var plan = false

  func run() throws {
    do {
      let answer = try options.run("info").query(.info(plan: plan), plan: plan)
      var output = OutputStream()
      // If the adapter has not answered, there are no properties to show.
      let adapter = answer.of("adapter").last { $0["identity"] != nil }
      if options.json {
        for record in answer.of("vehicle") { try output.write(record.bytes.span) }
        if let adapter { try output.write(adapter.bytes.span) }
      } else if let adapter {
        for line in InfoText.lines(adapter: adapter, vehicle: answer.of("vehicle").last) { try output.write(line) }
      }
      try output.flush()
      if let failure = answer.failure { throw failure }
    } catch let failure as Failure {
      throw failure.reported(by: "info")
    }
  }
}

/// Formats the records of `obdgate info` as text.
enum InfoText {
  static func lines(adapter: FinishedRecord, vehicle: FinishedRecord?) -> [String] {
    var lines: [String] = []
    func add(_ name: String, _ value: String?) {
      guard let value, !value.isEmpty else { return }
      lines.append((name + ":").padded(to: 14) + value)
    }
    let rate = adapter["baud"].map { ", \($0.plainText) baud" } ?? ""
    add("adapter", "\(adapter["identity"]?.plainText ?? "unnamed"), \(adapter["device"]?.plainText ?? "")\(rate)")
    add("protocol", adapter["protocol"]?.plainText)
    add("voltage", adapter["batteryVoltage"].map { "\($0.plainText) V" })
    add("quirks", adapter.strings("quirks")?.joined(separator: ", "))
    if let vehicle {
      add("VIN", vehicle["vin"].map { $0.plainText + (vehicle["vinValid"]?.bool == false ? " (not valid)" : "") })
      add("make", vehicle["make"]?.plainText)
      add("model year", vehicle["modelYear"]?.plainText)
      add("fuel", vehicle["fuelType"]?.plainText)
      add("standard", vehicle["obdStandard"]?.plainText)
      lines += vehicle["ecus"]?.elements.flatMap(ecu) ?? []
    } else {
      for address in adapter.strings("ecus") ?? [] { add("ECU", address) }
    }
    lines += adapter.strings("plan")?.map { "plan:".padded(to: 14) + $0 } ?? []
    return lines
  }

  private static func ecu(_ ecu: JSONValue) -> [String] {
    let pids = ecu["supportedPids"]?.count ?? 0
    let parts = [ecu["address"]?.plainText, ecu["name"]?.plainText, "\(pids) PIDs"].compactMap { $0 }
    let calibrations = ecu["calibrations"]?.elements.map { calibration in
      let number = calibration["cvn"].map { "CVN \($0.plainText)" }
      return [calibration["id"]?.plainText, number].compactMap { $0 }.joined(separator: ", ")
    }
    return ["ECU:".padded(to: 14) + parts.joined(separator: ", ")]
      + (calibrations ?? []).map { "".padded(to: 14) + "calibration \($0)" }
  }
}

extension String {
  /// Returns the text with trailing spaces, so that it has at least `width` characters.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
