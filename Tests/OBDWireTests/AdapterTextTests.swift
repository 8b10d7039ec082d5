import OBDWire
import Testing

/// Every message of an adapter about itself: ELM327 data sheet, "Error Messages and Alerts".
struct AdapterTextTests {
  @Test(arguments: [
    ("NO DATA", "noData"), ("NODATA", "noData"), ("no data", "noData"), ("UNABLE TO CONNECT", "unableToConnect"),
    ("UNABLE TO C", "unableToConnect"), ("UNABLETOCONNECT", "unableToConnect"), ("UNABLE", "unableToConnect"),
    ("SEARCHING...UNABLE TO CONNECT", "unableToConnect"), ("BUS BUSY", "busBusy"), ("BUS ERROR", "busError"),
    ("BUS INIT: ERROR", "busInit"), ("BUS INIT: ...ERROR", "busInit"), ("BUSINIT:...ERROR", "busInit"),
    ("CAN ERROR", "canError"), ("FB ERROR", "busError"), ("DATA ERROR", "dataError"), ("BUFFER FULL", "bufferFull"),
    ("STOPPED", "stopped"), ("SEARCHING...STOPPED", "stopped"), ("ERR94", "adapterError"), ("ERR01", "adapterError"),
    ("LV RESET", "lowVoltage"), ("ACT ALERT", "activityAlert"), ("!ACT ALERT", "activityAlert"),
    ("LP ALERT", "lowPower"), ("!LP ALERT", "lowPower"), ("FC RX TIMEOUT", "adapterError"),
    ("?", "unknownCommand"), ("?WRONG HEXCHAR COUNT", "unknownCommand"),
  ])
  func status_is_its_error_and_nothing_else(words: String, kind: String) {
    let found = ReplyRecorder.of(words + "\r\r>", to: "010C")
    #expect(found.results == ["error \(kind) - at 0"])
  }

  @Test(arguments: [
    "SEARCHING...", "SEARCHING", "BUS INIT: OK", "BUS INIT: ...OK", "...", ".", "SEARCHING: OK", "OK",
  ])
  func search_progress_is_not_an_event(words: String) {
    #expect(ReplyRecorder.of(words + "\r7E8 04 41 0C 1A F8 \r\r>", to: "010C").results == ["reading 7E8 010C rpm 1726"])
  }

  @Test(arguments: [
    "SEARCHING...7E8 04 41 0C 1A F8", "SEARCHING...\r7E8 04 41 0C 1A F8", "BUS INIT: OK\r7E8 04 41 0C 1A F8",
    "BUS INIT: ...OK7E8 04 41 0C 1A F8", "...7E8 04 41 0C 1A F8", "SEARCHING: 7E8 04 41 0C 1A F8",
    "SEARCHING...7E804410C1AF8", "ELM327 v1.57E8 04 41 0C 1A F8", "ELM327 v1.3a7E8 04 41 0C 1A F8",
  ])
  func data_behind_words_is_read(line: String) {
    #expect(ReplyRecorder.of(line + "\r\r>", to: "010C").results == ["reading 7E8 010C rpm 1726"])
  }

  @Test func bus_initialised_in_one_line_with_a_kwp_answer_is_read() {
    let found = ReplyRecorder.of("BUS INIT: OK" + Frame.sum("86F1104100BE1FB811") + "\r\r>", to: "0100")
    #expect(found.results == ["supported 10 0100 BE1FB811"])
  }

  @Test(arguments: [
    ("7E8 04 41 0C 1A F8 <RX ERROR", "rxError"), ("7E8 04 41 0C 1A F8 <DATA ERROR", "dataError"),
    ("7E8 04 41 0C 1A F8 <DATA ERROR<RX ERROR", "dataError"), ("41 0C 1A F8 <DATA ERROR", "dataError"),
    ("410C1AF8<DATA ERROR", "dataError"), ("48 6B 10 41 0C 1A F8 22 <DATA ERROR", "dataError"),
  ])
  func an_error_mark_after_a_line_discards_its_bytes(line: String, kind: String) {
    let found = ReplyRecorder.of(line + "\r\r>", to: "010C")
    #expect(found.messages.isEmpty && found.values.isEmpty)
    let mark = ReplyRecorder.bytes(line).firstIndex(of: UInt8(ascii: "<")) ?? 0
    #expect(found.errors == ["\(kind) - at \(mark)"])
  }

  @Test func damaged_data_is_not_an_adapter_message() {
    let found = ReplyRecorder.of("41 0C 1A X8\r\r>", to: "010C")
    #expect(found.results == ["error malformed - at 9"])
  }

  @Test func an_error_after_an_answer_does_not_invalidate_the_answer() {
    let found = ReplyRecorder.of("7E8 04 41 0C 1A F8 \rBUFFER FULL\r\r>", to: "010C")
    #expect(found.results == ["reading 7E8 010C rpm 1726", "error bufferFull - at 0"])
  }

  @Test func banner_that_nobody_asked_for_is_a_reset() {
    #expect(ReplyRecorder.of("ELM327 v1.5\r\r>", to: "010C").results == ["error adapterReset - at 0"])
  }
}
