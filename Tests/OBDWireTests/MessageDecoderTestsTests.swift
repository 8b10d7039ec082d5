import OBDWire
import Testing

/// Services 05 and 06: on-board test results.
struct MessageDecoderTestsTests {
  private func results(_ payload: String, _ command: String) -> [String] {
    ReplyRecorder.of(Frame.isoTP("7E8", payload).reply, to: command).results
  }

  @Test func result_on_can_has_a_scaling_and_both_limits() {
    // Monitor 01, test 01, scaling 0A: 0.000122 V a step.
    #expect(
      results("4601010A0BB00000FFFF", "0601") == [
        "test 7E8 monitor 01 test 01 scaling 0A value 0.365024 limits 0 7.99527"
      ])
  }

  @Test func signed_scaling_is_twos_complement() {
    // Scaling 84: 0.001 a step, from −32.768.
    #expect(
      results("463D8884FFFF8000 7FFF".filter { $0 != " " }, "063D") == [
        "test 7E8 monitor 3D test 88 scaling 84 value -0.001 limits -32.768 32.767"
      ])
  }

  @Test func several_results_in_one_answer_are_each_one() {
    let two = results("463D88810000000000003D88FE000000000000", "063D")
    #expect(two.count == 2 && two.allSatisfy { $0.hasPrefix("test 7E8 monitor 3D") })
  }

  @Test func scaling_that_the_standard_reserves_has_no_value() {
    let found = results("4601010000010000FFFF", "0601")
    #expect(found.count == 1 && found[0].hasPrefix("error malformed 7E8"))
  }

  @Test func supported_monitors_are_a_bitmap() {
    #expect(results("4600C0000001", "0600") == ["supported 7E8 0600 C0000001"])
  }

  @Test func cut_result_is_refused() {
    let found = results("4601010A0BB0", "0601")
    #expect(found.count == 1 && found[0].hasPrefix("error truncated 7E8"))
  }

  @Test func legacy_result_has_a_component_and_one_limit() {
    // Bit 7 of the component: the limit is a minimum.
    #expect(
      ReplyRecorder.of(Frame.sum("87F110460603005A9C40") + "\r\r>", to: "0606").results == [
        "test 10 legacy test 06 component 03 value 90 limits none 40000"
      ])
    #expect(
      ReplyRecorder.of(Frame.sum("87F110460685005A0000") + "\r\r>", to: "0606").results == [
        "test 10 legacy test 06 component 05 value 90 limits 0 none"
      ])
    #expect(
      ReplyRecorder.of(Frame.sum("87F1104600FFC0000001") + "\r\r>", to: "0600").results == [
        "supported 10 0600 C0000001"
      ])
  }

  @Test func oxygen_sensor_test_is_scaled_by_its_id() {
    #expect(
      ReplyRecorder.of(Frame.sum("486B1045015A0158") + "\r\r>", to: "05015A").results.first?.contains("test 01") == true
    )
    #expect(
      ReplyRecorder.of("45 01 01 5A\r\r>", to: "050101").results == [
        "test - legacy test 01 component 01 value 0.45 limits none none"
      ])
    #expect(
      ReplyRecorder.of("45 07 01 5A 00 64\r\r>", to: "050701").results == [
        "test - legacy test 07 component 01 value 0.45 limits 0 0.5"
      ])
  }
}
