import Testing

@testable import AdapterSession

/// Parameter 1D in the lines of ATPPS.
@Suite struct PauseParameterTests {
  private func isKept(_ line: String) -> Bool? { PauseParameter.isKept(Array(line.utf8).span) }

  @Test(arguments: ["1C:03 F 1D:0F F 1E:4A F 1F:FF F", "1D:0F N", "1D:40 N 1E:4A F", "1C:03F1D:0FF1E:4AF"])
  func a_pause_of_55_ms_at_least_is_kept(_ line: String) { #expect(isKept(line) == true) }

  /// 0E: 53.2 to 57.3 ms.
  @Test(arguments: ["1D:0E N", "1C:03 F 1D:00 N", "1D:05 F"])
  func a_pause_below_55_ms_is_ignored(_ line: String) { #expect(isKept(line) == false) }

  @Test func a_programmable_parameter_that_the_firmware_lacks_is_ignored() {
    #expect(isKept("1C:FF F 1D:FF F 1E:FF F 1F:FF F") == false)
  }

  @Test(arguments: ["1D:0F", "1D:0F X", "1D:0F 1E:4A F"])
  func a_damaged_programmable_parameter_is_ignored(_ line: String) { #expect(isKept(line) != true) }

  @Test(arguments: ["", "OK", "?", "01:FF F 02:FF F", "1D:", "1D:G0 F"])
  func lines_without_timing_do_not_set_the_pause(_ line: String) { #expect(isKept(line) == nil) }
}
