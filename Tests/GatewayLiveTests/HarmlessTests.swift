import Testing

/// Tests of the check that the fault matrix applies to every command.
@Suite struct HarmlessTests {
  @Test(arguments: [
    "ATZ", "ATSPA6", "ATPPS", "ATST32", "ATSH7E0", "ATFCSD300000", "STI", "0100", "010C0D2", "22F40C", "0902",
  ])
  func settings_and_read_requests_are_classified_as_harmless(_ command: String) {
    #expect(Harmless.allows(command))
  }

  @Test(arguments: [
    "", "04", "0401", "08", "1003", "1101", "14FFFFFF", "2701", "2EF190", "3101", "ATPP2CSV", "ATMA", "ATCAF0", "STPX",
    "ATWM",
    "01 0C", "ATSH", "X",
  ])
  func writing_or_repeating_commands_are_rejected(_ command: String) {
    #expect(!Harmless.allows(command))
  }
}
