import Captures
import Testing

@Suite struct BusDialogueTests {
  private func events(_ frames: String...) throws -> [Event] {
    try read(frames.map { "can0 \($0)\n" }.joined(), as: .candump).events
  }

  @Test func a_manufacturers_own_ECU_takes_part_once_it_has_answered() throws {
    let log = try events(
      "7C0 [8] 02 21 01 00 00 00 00 00", "7C8 [8] 05 61 01 10 20 30 00 00",
      "7C0 [8] 02 21 02 00 00 00 00 00", "7C8 [8] 03 7F 21 12 00 00 00 00")
    #expect(
      log == [
        to("2101\r"), from("7C8 05 61 01 10 20 30 00 00\r"), from("\r>"),
        to("2102\r"), from("7C8 03 7F 21 12 00 00 00 00\r"), from("\r>"),
      ])
  }

  @Test func traffic_that_resembles_a_request_is_ignored() throws {
    #expect(try events("7A0 [8] 02 01 0C 00 00 00 00 00", "7A8 [8] 01 02 03 04 05 06 07 08").isEmpty)
    #expect(try events("7A8 [8] 04 41 0C 1A F8 00 00 00").isEmpty)
    #expect(try events("7E8 [0]", "18FEF100 [8] 01 02 03 04 05 06 07 08").isEmpty)
  }

  @Test func a_response_that_asks_to_wait_does_not_close_the_reply() throws {
    let log = try events(
      "7E8 [8] 03 7F 22 78 00 00 00 00", "7E8 [8] 03 7F 22 78 00 00 00 00", "7E8 [8] 04 62 F1 90 41 00 00 00")
    #expect(
      log == [
        from("7E8 03 7F 22 78 00 00 00 00\r"), from("7E8 03 7F 22 78 00 00 00 00\r"),
        from("7E8 04 62 F1 90 41 00 00 00\r"), from("\r>"),
      ])
  }

  @Test func consecutive_frames_of_interleaved_ECUs_stay_in_one_reply() throws {
    let log = try events(
      "7E8 [8] 10 14 49 02 01 31 46 54", "7E9 [8] 10 14 49 02 01 31 46 54", "7E8 [8] 21 46 57 31 45 54 35 44",
      "7E9 [8] 21 46 57 31 45 54 35 44", "7E8 [8] 22 46 43 31 30 31 32 30", "7E9 [8] 22 46 43 31 30 31 32 30")
    #expect(log.count == 7)
    #expect(log.filter { $0.bytes == Array("\r>".utf8) } == [log[6]])
  }

  @Test func the_testers_flow_control_and_long_requests_are_dropped() throws {
    let log = try events(
      "7E0 [8] 30 00 00 00 00 00 00 00", "7E0 [8] 10 09 2E F1 90 01 02 03", "18DA10F1 [8] 02 01 0C 00 00 00 00 00")
    #expect(log == [to("010C\r"), from("\r>")])
  }

  @Test func a_truncated_request_is_ignored() throws {
    #expect(try events("7DF [2] 02 01").isEmpty)
    #expect(try events("7DF [8] 0F 01 0C 00 00 00 00 00").isEmpty)
  }
}
