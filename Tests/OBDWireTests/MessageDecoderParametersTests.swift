import OBDWire
import Testing

/// Services 01 and 02.
struct MessageDecoderParametersTests {
  private func results(_ payload: String, _ command: String) -> [String] {
    ReplyRecorder.of(Frame.isoTP("7E8", payload).reply, to: command).results
  }

  @Test func one_answer_with_several_parameters_gives_each() {
    #expect(
      results("410C1AF80D32057B", "010C0D05") == [
        "reading 7E8 010C rpm 1726", "reading 7E8 010D speed 50", "reading 7E8 0105 coolantTemp 83",
      ])
  }

  @Test func parameters_may_come_in_another_order_or_not_at_all() {
    #expect(results("410D320C1AF8", "010C0D05") == ["reading 7E8 010D speed 50", "reading 7E8 010C rpm 1726"])
    #expect(results("41057B", "010C0D05") == ["reading 7E8 0105 coolantTemp 83"])
  }

  @Test func parameter_that_nobody_asked_for_is_unexpected_behind_those_that_were() {
    #expect(results("410C1AF80D32", "010C") == ["reading 7E8 010C rpm 1726", "error unexpected 7E8 at 19"])
  }

  @Test func cut_answer_gives_its_whole_parameters_and_an_error() {
    #expect(results("410D320C1A", "010D0C") == ["reading 7E8 010D speed 50", "error truncated 7E8 at 22"])
    #expect(results("410C1A", "010C") == ["error truncated 7E8 at 16"])
    #expect(results("410C", "010C") == ["error truncated 7E8 at 13"])
    #expect(results("41", "010C") == ["error truncated 7E8 at 10"])
  }

  @Test func supported_identifiers_are_a_bitmap() {
    #expect(results("4100BE3FA813", "0100") == ["supported 7E8 0100 BE3FA813"])
    #expect(results("412080018001", "0120") == ["supported 7E8 0120 80018001"])
    #expect(
      results("4100BE3FA8132080018001", "010020") == ["supported 7E8 0100 BE3FA813", "supported 7E8 0120 80018001"])
  }

  @Test func value_whose_support_bit_is_0_is_absent() {
    // PID 66: A = 01, sensor A alone; 0x01D0 / 32 g/s.
    let one = results("41660101D00000", "0166")
    #expect(one.contains("reading 7E8 0166 massAirFlowSensorA 14.5"))
    #expect(!one.contains { $0.contains("massAirFlowSensorB ") })
    let two = results("41660301D00020", "0166")
    #expect(two.contains("reading 7E8 0166 massAirFlowSensorB 1"))
    let none = results("41660001D00020", "0166")
    #expect(!none.contains { $0.contains("massAirFlowSensorA ") || $0.contains("massAirFlowSensorB ") })
  }

  @Test func parameter_4F_rescales_what_it_defines_from_then_on() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    func read(_ command: String, _ payload: String) {
      found.read(Frame.isoTP("7E8", payload).reply, to: command, by: &reader)
    }
    read("0124", "412480004000")
    // Ratio 4 for 2, voltage 16 for 8, current 64 for 128, pressure 510 for 255.
    read("014F", "414F04104033")
    read("0124", "412480004000")
    read("0134", "413480009000")
    read("010B", "410B64")
    // Zeros: the defaults again.
    read("014F", "414F00000000")
    read("0124", "412480004000")
    let values = found.readings.filter { !$0.contains(" 014F ") }.map { $0.split(separator: " ")[3] }
    #expect(values == ["1", "2", "2", "4", "2", "8", "200", "1", "2"])
  }

  @Test func parameter_50_rescales_the_air_flow() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    for (command, payload) in [("0110", "41100A00"), ("0150", "415083000000"), ("0110", "41100A00")] {
      found.read(Frame.isoTP("7E8", payload).reply, to: command, by: &reader)
    }
    // Full scale 1,310 g/s for 655.35.
    let values = found.readings.filter { $0.contains(" maf ") }.map { $0.split(separator: " ")[3] }
    #expect(values == ["25.6", Substring(ReplyRecorder.number(25.6 * 1_310 / 655.35))])
  }

  @Test func scaling_of_one_ecu_is_not_anothers() {
    var reader = ReplyReader()
    var found = ReplyRecorder()
    found.read("7E8 06 41 4F 04 10 40 33 \r\r>", to: "014F", by: &reader)
    found.read("7E9 03 41 0B 64 \r7E8 03 41 0B 64 \r\r>", to: "010B", by: &reader)
    #expect(found.readings.suffix(2).map { String($0.split(separator: " ")[3]) } == ["100", "200"])
  }

  @Test func oxygen_sensors_are_named_by_bank_once_the_ecu_said_how_they_sit() {
    func names(after parameter: String?) -> [String] {
      var reader = ReplyReader()
      var found = ReplyRecorder()
      if let parameter { found.read("7E8 03 41 \(parameter) 03 \r\r>", to: "01" + parameter, by: &reader) }
      found.read("7E8 04 41 16 5A 80 \r\r>", to: "0116", by: &reader)
      return found.readings.suffix(2).map { String($0.split(separator: " ")[2]) }
    }
    #expect(names(after: nil) == ["oxygenSensor3", "oxygenSensor3ShortTermFuelTrim"])
    // PID 16: third sensor of bank 1, or first of bank 2 if there are four banks (PID 1D).
    #expect(names(after: "13") == ["oxygenSensorBank1Sensor3", "oxygenSensorBank1Sensor3ShortTermFuelTrim"])
    #expect(names(after: "1D") == ["oxygenSensorBank2Sensor1", "oxygenSensorBank2Sensor1ShortTermFuelTrim"])
  }

  @Test func oxygen_sensor_gives_voltage_and_trim() {
    #expect(
      results("41145A80", "0114") == [
        "reading 7E8 0114 oxygenSensor 0.45", "reading 7E8 0114 oxygenSensor1ShortTermFuelTrim 0",
      ])
  }

  // MARK: Freeze frames

  @Test func freeze_frame_gives_readings_with_its_number() {
    #expect(results("420C001AF8", "020C00") == ["reading 7E8 020C/0 rpm 1726"])
    #expect(results("420C021AF8", "020C02") == ["reading 7E8 020C/2 rpm 1726"])
    #expect(
      results("420C001AF80D0032", "020C000D00") == ["reading 7E8 020C/0 rpm 1726", "reading 7E8 020D/0 speed 50"])
  }

  @Test func code_that_stored_the_frame_is_a_list_of_one_or_none() {
    #expect(results("4202000420", "020200") == ["codes 7E8 02 /00 freezeFrame P0420"])
    #expect(results("4202000000", "020200") == ["codes 7E8 02 /00 freezeFrame"])
  }

  @Test func supported_identifiers_of_a_freeze_frame_are_a_bitmap() {
    #expect(results("4200007FFF0000", "020000") == ["supported 7E8 0200 7FFF0000"])
  }

  @Test func cut_freeze_frame_is_refused() {
    #expect(results("420C001A", "020C00") == ["error truncated 7E8 at 19"])
    #expect(results("420C", "020C00") == ["error truncated 7E8 at 13"])
    #expect(results("420D0032", "020C00") == ["error unexpected 7E8 at 10"])
  }
}
