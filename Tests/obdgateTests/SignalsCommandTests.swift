import Foundation
import TestKit
import Testing

/// `signals`: the list of all names that readings can have.
@Suite struct SignalsCommandTests {
  private func list(_ options: String...) throws -> [PrintedJSON] {
    let result = try obdgate(["signals", "--json"] + options)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    return try PrintedJSON.lines(result.output)
  }

  @Test func every_line_names_a_signal_once() throws {
    let rows = try list()
    #expect(rows.count > 300)
    for row in rows {
      #expect(row.holdsNoNull)
      #expect(row["name"]?.text?.isEmpty == false)
      #expect(row["pid"]?.text?.isEmpty == false)
      #expect(row["formula"]?.text?.isEmpty == false)
    }
    let keys = rows.map { "\($0["name"]?.text ?? "") \($0["pid"]?.text ?? "")" }
    #expect(Set(keys).count == keys.count)
    // The name is one word in lowerCamelCase.
    for name in rows.compactMap({ $0["name"]?.text }) {
      #expect(
        name.first?.isLowercase == true && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }, "\(name)")
    }
  }

  @Test(
    arguments: [
      ("rpm", "010C", "rpm"), ("speed", "010D", "km/h"), ("throttlePosition", "0111", "%"), ("engineLoad", "0104", "%"),
      ("coolantTemp", "0105", "°C"), ("intakeAirTemp", "010F", "°C"), ("maf", "0110", "g/s"),
      ("fuelLevel", "012F", "%"),
      ("fuelType", "0151", nil), ("fuelRate", "015E", "L/h"), ("fuelPressure", "010A", "kPa"), ("mil", "0101", nil),
      ("distanceMIL", "0121", "km"), ("controlModuleVoltage", "0142", "V"), ("oxygenSensor", "0114", "V"),
      ("batteryVoltage", "ATRV", "V"),
    ] as [(String, String, String?)])
  func the_names_that_apps_use_are_there(name: String, pid: String, unit: String?) throws {
    let row = try #require(try list().first { $0["name"]?.text == name && $0["pid"]?.text == pid })
    #expect(row["unit"]?.text == unit)
  }

  @Test func each_listed_signal_name_occurs_once() throws {
    let pids = Dictionary(grouping: try list()) { $0["name"]?.text ?? "" }
    // Readings of several PIDs may have the same name only if the standard has these PIDs for the same value.
    for (name, rows) in pids { #expect(Set(rows.compactMap { $0["unit"]?.text }).count <= 1, "\(name)") }
  }

  @Test func every_value_of_the_captures_is_on_the_list() throws {
    let names = Set(try list().compactMap { $0["name"]?.text })
    let head: Set<String> = [
      "type", "id", "timestamp", "timeQuality", "elapsed", "gatewayId", "vehicleId", "epoch", "seq", "ecus", "vin",
      "dtcCodes", "latitude", "longitude", "altitude", "heading", "trueHeading", "gpsSpeed", "hdop", "satellites",
      "fixType",
    ]
    let result = try obdgate(["replay"] + captureNames.map(capture))
    for record in try records(result).of("telemetry") {
      var keys = Set(record.members.keys)
      for ecu in record["ecus"]?.members.values ?? [:].values { keys.formUnion(ecu.members.keys) }
      #expect(keys.subtracting(head).subtracting(names).isEmpty)
    }
  }

  @Test func the_table_has_the_same_rows() throws {
    let table = try obdgate(["signals"])
    #expect(table.status == 0)
    #expect(table.lines.count == (try list().count) + 1)
    let rpm = try #require(table.lines.first { $0.hasPrefix("rpm ") })
    #expect(rpm.contains("010C"))
    #expect(rpm.contains("Vehicle.Powertrain.CombustionEngine.Speed"))
  }

  @Test func the_range_is_what_the_bits_can_say() throws {
    let rows = try list()
    let coolant = try #require(rows.first { $0["name"] == "coolantTemp" && $0["pid"] == "0105" })
    #expect(coolant["min"] == -40)
    #expect(coolant["max"] == 215)
    let rpm = try #require(rows.first { $0["name"] == "rpm" && $0["pid"] == "010C" })
    #expect(rpm["max"] == 16_383.75)
  }
}
