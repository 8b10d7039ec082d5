import TestKit
import Testing

/// `info`, `vin`, `dtc` and `monitors` with a simulated adapter print the values of the scenario.
@Suite struct VehicleQuestionsTests {
  /// A vehicle and its properties.
  struct Vehicle: Sendable, CustomTestStringConvertible {
    let name: String
    let scenario: String
    let bus: String
    let identity: String
    let ecus: [String]
    var codes: PrintedJSON = []
    var pending: PrintedJSON = []
    /// The permanent codes; `nil` for vehicles without this list.
    var permanent: PrintedJSON? = []
    var testDescription: String { name }
  }

  static let vehicles = [
    Vehicle(
      name: "CAN, two ECUs", scenario: Scenarios.can, bus: "ISO 15765-4 (CAN 11/500)", identity: "ELM327 v1.5",
      ecus: ["7E8", "7E9"], codes: ["P0420"], pending: ["P0420"], permanent: ["P0420"]),
    Vehicle(
      name: "clone", scenario: Scenarios.clone, bus: "ISO 15765-4 (CAN 29/500)", identity: "ELM327 v2.1",
      ecus: ["18DAF110"]),
    Vehicle(
      name: "KWP", scenario: Scenarios.kwp, bus: "ISO 14230-4 (KWP FAST)", identity: "ELM327 v1.5", ecus: ["10"],
      codes: ["P0301"], pending: ["P0301"], permanent: nil),
    Vehicle(
      name: "OBDonUDS", scenario: Scenarios.uds, bus: "ISO 15765-4 (CAN 11/500)", identity: "ELM327 v1.5",
      ecus: ["7E8"], codes: ["P0A80-1C"], pending: ["P0A80-1C"]),
  ]

  @Test(arguments: vehicles) func info_gives_the_vehicle_and_the_adapter(_ vehicle: Vehicle) async throws {
    let played = try await query("info", "--json", scenario: vehicle.scenario)
    let result = played.result
    #expect(result.status == 0, "\(result.errors)")
    let lines = try PrintedJSON.lines(result.output)
    #expect(lines.map { $0["type"]?.text } == ["vehicle", "adapter"])
    let car = try #require(lines.of("vehicle").first)
    #expect(car["vin"] == "1D4GP00RX5B123456")
    #expect(car["vinValid"] == true)
    #expect(car["protocol"]?.text == vehicle.bus)
    #expect(car["ecus"]?.elements.compactMap { $0["address"]?.text } == vehicle.ecus)
    let adapter = try #require(lines.of("adapter").first)
    #expect(adapter["identity"]?.text == vehicle.identity)
    #expect(adapter["protocol"]?.text == vehicle.bus)
    #expect(adapter["batteryVoltage"] == 12.4)
    #expect(adapter["ecus"]?.elements.compactMap(\.text) == vehicle.ecus)
    for line in lines { #expect(line.holdsNoNull) }
    expectReadOnly(played.commands)
  }

  @Test(arguments: ["info", "vin", "dtc", "monitors"]) func printed_records_are_numbered_without_gaps(
    _ command: String
  ) async throws {
    let played = try await query(command, "--json", scenario: Scenarios.can)
    let lines = try PrintedJSON.lines(played.result.output)
    #expect(!lines.isEmpty, "\(played.result.errors)")
    #expect(lines.map { $0["seq"]?.number } == (0..<lines.count).map { Double($0 + 1) })
  }

  @Test(arguments: vehicles) func dtc_gives_every_list_of_codes(_ vehicle: Vehicle) async throws {
    let played = try await query("dtc", "--json", scenario: vehicle.scenario)
    let result = played.result
    #expect(result.status == 0, "\(result.errors)")
    let lines = try PrintedJSON.lines(result.output)
    #expect(lines.allSatisfy { $0["type"] == "dtc" && $0["event"] == "snapshot" })
    #expect(lines.compactMap { $0["ecu"]?.text } == vehicle.ecus)
    let first = try #require(lines.first)
    #expect(first["dtcCodes"] == vehicle.codes)
    #expect(first["pending"] == vehicle.pending)
    #expect(first["permanent"] == vehicle.permanent)
    #expect(first["mil"] == .flag(vehicle.codes != []))
    expectReadOnly(played.commands)
  }

  @Test(arguments: vehicles) func monitors_come_from_every_ecu(_ vehicle: Vehicle) async throws {
    let played = try await query("monitors", "--json", scenario: vehicle.scenario)
    let result = played.result
    #expect(result.status == 0, "\(result.errors)")
    let lines = try PrintedJSON.lines(result.output)
    #expect(lines.allSatisfy { $0["type"] == "monitors" })
    let sinceClear = lines.filter { $0["scope"] == "sinceClear" }
    #expect(sinceClear.compactMap { $0["ecu"]?.text } == vehicle.ecus)
    #expect(sinceClear.allSatisfy { $0["complete"] != [] && $0["incomplete"] == [] && $0["ignition"] == "spark" })
    expectReadOnly(played.commands)
  }

  /// Expects that only services that read have reached the bus.
  private func expectReadOnly(_ commands: [String]) {
    #expect(commands.first == "ATZ")
    let services = Set(commands.filter { !$0.hasPrefix("AT") && !$0.hasPrefix("ST") }.map { $0.prefix(2) })
    #expect(services.isSubset(of: ["01", "02", "03", "07", "09", "0A", "19", "22"]))
    #expect(!services.isEmpty)
  }

  @Test func vin_prints_the_vin_alone() async throws {
    let result = try await query("vin", scenario: Scenarios.can).result
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "1D4GP00RX5B123456\n")
    #expect(result.errors.isEmpty)
  }

  @Test(arguments: ["", "@115200"]) func the_rate_of_the_line_is_found_out_or_taken_as_named(_ rate: String)
    async throws
  {
    let result = try await runBlocking {
      let scratch = try ScratchFolder()
      let line = "\"$OBDGATE\" info --json --device \"$D0\(rate)\""
      let adapter = #"{"adapter": {"baud": 115200, "strictBaud": true}}"#
      return try play(line, beside: [Simulation(scenario: adapter)], in: scratch.path).result
    }
    #expect(result.status == 0, "\(result.errors)")
    #expect(try PrintedJSON.lines(result.output).of("adapter").first?["baud"] == 115_200)
  }

  @Test func an_invalid_vin_is_printed_with_a_remark() async throws {
    let result = try await query(
      "vin", scenario: Scenarios.can.replacing("1D4GP00RX5B123456", with: "1D4GP00R15B123456")
    ).result
    #expect(result.status == 0)
    #expect(result.output == "1D4GP00R15B123456\n")
    #expect(result.errors.contains("that the vehicle sent is not valid"))
  }

  /// A damaged reply must not be reported as a fault of the vehicle.
  @Test func a_vin_damaged_in_transit_is_reported_as_damaged() async throws {
    for _ in 0..<3 {
      let result = try await query("vin", scenario: Scenarios.can, faults: "truncate=0.4").result
      #expect(!result.errors.contains("does not report a VIN"), "\(result.errors)")
      #expect(result.status == 0 || result.errors.contains(" in transit (") || result.status == 69, "\(result.errors)")
    }
  }

  @Test func a_vehicle_without_a_vin_is_a_failure_of_the_command() async throws {
    let scenario = Scenarios.can.replacing("\"address\": \"7E8\",", with: "\"address\": \"7E8\", \"vin\": false,")
    let result = try await query("vin", scenario: scenario).result
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("does not report a VIN"))
  }

  @Test func info_as_text_names_vehicle_calibrations_and_plan() async throws {
    let result = try await query("info", "--plan", scenario: Scenarios.can).result
    #expect(result.status == 0, "\(result.errors)")
    for text in [
      "ELM327 v1.5", "ISO 15765-4 (CAN 11/500)", "12.4 V", "1D4GP00RX5B123456", "Dodge", "2005", "gasoline",
      "ECM-EngineControl", "37805-RBB-J530, CVN 1791BC82", "7E9",
    ] { #expect(result.output.contains(text), "\(text)") }
    // Engine speed and speed are requested first, six PIDs in each request.
    #expect(result.lines.contains { $0.hasPrefix("plan:") && $0.contains("010C0D") && $0.contains("every 1000 ms") })
  }

  @Test func dtc_as_text_says_what_codes_mean_and_shows_the_freeze_frame() async throws {
    let result = try await query("dtc", scenario: Scenarios.can).result
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.lines.map(String.init)
    #expect(lines.first == "7E8: lamp (MIL) on, 0 km with it")
    #expect(
      lines.contains(
        "  stored     P0420 — catalyst efficiency below threshold, bank 1 (powertrain, auxiliary emission controls)"))
    #expect(lines.contains("  freeze frame 0 of P0420"))
    for value in ["coolantTemp 17 °C", "rpm 0 rpm", "controlModuleVoltage 12.4 V"] {
      #expect(result.output.contains(value))
    }
    #expect(lines.contains("7E9: lamp (MIL) off"))
    #expect(lines.allSatisfy { $0.count <= 120 })
  }

  @Test func texts_of_a_file_replace_the_built_in_ones() async throws {
    let result = try await runBlocking {
      let scratch = try ScratchFolder()
      try scratch.write("dodge.csv", "code,text,make\nP0420,tired of cleaning,Dodge\nP0420,wrong,Ford\n")
      let line = "\"$OBDGATE\" dtc --device \"$D0\" --texts dodge.csv"
      return try play(line, beside: [Simulation(scenario: Scenarios.can)], in: scratch.path).result
    }
    #expect(result.output.contains("P0420 — tired of cleaning (powertrain"))
    #expect(!result.output.contains("wrong"))
  }

  @Test func a_freeze_frame_holds_the_values_of_its_moment() async throws {
    let result = try await query("dtc", "--json", scenario: Scenarios.can).result
    let frame = try #require(try PrintedJSON.lines(result.output).first?["freezeFrame"])
    #expect(frame["dtc"] == "P0420")
    #expect(
      frame["readings"]?.only("rpm", "speed", "coolantTemp", "controlModuleVoltage")
        == .object([
          "rpm": 0, "speed": 0, "coolantTemp": 17, "controlModuleVoltage": 12.4,
        ]))
  }

  /// The texts of an adapter and an ECU contain commands for a terminal: clear the screen, set the title, change the
  /// colour.
  private static let hostile = Scenarios.car(
    "\"bus\": \"can11/500\"",
    ecus: """
      {"address": "7E8", "name": "E\\u001b[2JCM", "calibrations": [{"id": "A\\u001b]0;x\\u0007", "cvn": "1791BC82"}]},
      {"address": "7E9", "role": "transmission", "name": "T\\u009b31mCM"}
      """
  ).replacing(#""kind": "elm327""#, with: #""kind": "elm327", "identity": "ELM327 v1.5\u001b[31m\u009b2J""#)

  @Test(arguments: [
    ["info"], ["info", "--json"], ["info", "--plan"], ["vin"], ["vin", "--json"], ["dtc"], ["monitors"],
  ])
  func text_of_a_hostile_ECU_cannot_control_the_terminal(command: [String]) async throws {
    let played = try await query(command.joined(separator: " "), scenario: Self.hostile)
    for text in [played.result.output, played.result.errors] {
      let commands = text.unicodeScalars.filter { ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value) }
      #expect(commands.isEmpty, "\(text)")
    }
    #expect(!played.result.output.isEmpty, "\(played.result.errors)")
    // Bytes that are not text are not printed as text.
    #expect(!played.result.output.contains("]0;x"), "\(played.result.output)")
  }
}
