import Testing
import TroubleCodes

struct CodeNameTests {
  @Test(arguments: [
    (UInt16(0x0420), "P0420"), (0x0000, "P0000"), (0x3FFF, "P3FFF"), (0x4031, "C0031"), (0x8001, "B0001"),
    (0xC100, "U0100"), (0xFFFF, "U3FFF"), (0x20EE, "P20EE"),
  ])
  func two_bytes_read_as_letter_and_digits(number: UInt16, text: String) {
    #expect(CodeName(number).description == text)
  }

  @Test func every_code_survives_being_written_and_read() {
    for number in UInt16.min...UInt16.max where CodeName(parsing: CodeName(number).description)?.number != number {
      Issue.record("\(CodeName(number))")
    }
  }

  @Test func small_letters_are_read() { #expect(CodeName(parsing: "p20ee") == CodeName(0x20EE)) }

  @Test(arguments: [
    "", "P042", "P04200", "P4420", "PA420", "X0420", "P04G0", "0420", " P0420", "P0420 ", "Ｐ0420", "P0420-11",
  ])
  func an_invalid_trouble_code_is_rejected(text: String) { #expect(CodeName(parsing: text) == nil) }

  @Test(arguments: [
    ("P0420", TroubleCodeAuthority.standard), ("P1420", .maker), ("P2002", .standard), ("P3000", .maker),
    ("P33FF", .maker), ("P3400", .standard), ("P3FFF", .standard), ("C0031", .standard), ("C1234", .maker),
    ("C2234", .maker), ("C3000", .reserved), ("B0001", .standard), ("B1318", .maker), ("B2318", .maker),
    ("B3000", .reserved), ("U0100", .standard), ("U1000", .maker), ("U2100", .maker), ("U3003", .standard),
  ])
  func the_first_digit_says_who_defines_the_code(code: String, authority: TroubleCodeAuthority) throws {
    #expect(try #require(CodeName(parsing: code)).authority == authority)
  }

  @Test(arguments: [
    ("P0030", TroubleCodeSubsystem.fuelAirAndEmissions), ("P0171", .fuelAndAir), ("P0201", .fuelAndAir),
    ("P0300", .ignition), ("P0420", .auxiliaryEmissions), ("P0500", .speedAndIdle), ("P0601", .computerAndOutputs),
    ("P0700", .transmission), ("P0841", .transmission), ("P0960", .transmission), ("P0A80", .hybridPropulsion),
    ("P0C73", .hybridPropulsion), ("P1131", .fuelAndAir), ("P1351", .ignition), ("P1443", .auxiliaryEmissions),
    ("P1F00", .makerAssigned), ("P20EE", .fuelAirAndEmissions), ("P2301", .ignition), ("P2463", .auxiliaryEmissions),
    ("P2503", .auxiliaryInputs), ("P2610", .computerAndOutputs), ("P2764", .transmission),
    ("P3441", .cylinderDeactivation),
    ("P3F00", .unassigned), ("C0031", .brakesAndTraction), ("C0561", .unassigned), ("C1234", .makerAssigned),
    ("B0001", .restraints), ("B1318", .makerAssigned), ("U0001", .networkElectrical), ("U0100", .networkCommunication),
    ("U0235", .networkCommunication), ("U0301", .networkSoftware), ("U0415", .networkData), ("U1000", .makerAssigned),
    ("U3003", .modulesAndPower),
  ])
  func the_digits_name_the_sub_system(code: String, subsystem: TroubleCodeSubsystem) throws {
    #expect(try #require(CodeName(parsing: code)).subsystem == subsystem)
  }

  @Test func every_one_of_65536_codes_has_a_system_and_a_sub_system_that_fits_it() {
    let network: Set<TroubleCodeSubsystem> = [
      .networkElectrical, .networkCommunication, .networkSoftware, .networkData, .modulesAndPower,
    ]
    let open: Set<TroubleCodeSubsystem> = [.makerAssigned, .unassigned]
    for number in UInt16.min...UInt16.max {
      let name = CodeName(number)
      let subsystem = name.subsystem
      let fits =
        switch name.system {
        case .powertrain: !network.contains(subsystem) && subsystem != .brakesAndTraction && subsystem != .restraints
        case .chassis: open.contains(subsystem) || subsystem == .brakesAndTraction
        case .body: open.contains(subsystem) || subsystem == .restraints
        case .network: open.contains(subsystem) || network.contains(subsystem)
        }
      let letterFits = name.description.first == name.system.letter
      let makerFits = subsystem != .makerAssigned || name.authority == .maker
      if !fits || !letterFits || !makerFits || "\(subsystem)".isEmpty { Issue.record("\(name): \(subsystem)") }
    }
  }

  @Test func every_sub_system_and_system_has_words_of_its_own() {
    #expect(Set(TroubleCodeSubsystem.allCases.map(\.description)).count == TroubleCodeSubsystem.allCases.count)
    #expect(TroubleCodeSystem.allCases.map(\.description) == ["powertrain", "chassis", "body", "network"])
  }
}
