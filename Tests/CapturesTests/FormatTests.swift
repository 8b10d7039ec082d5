import Captures
import Testing

/// Properties of single formats.
@Suite struct FormatTests {
  @Test func the_header_of_a_capture_precedes_its_first_event() throws {
    let log = try read(samples[0].text, as: .capture)
    #expect(log.headers == 1)
    #expect(log.vehicle == "Volvo V40 2003")
    #expect(log.adapter == "ELM327 v1.5")
    #expect(log.provenance == "own car")
    #expect(log.recorded == 1_782_533_099_906_000_000)
  }

  @Test func a_captures_header_may_stand_on_several_lines_and_lack_fields() throws {
    let log = try read(
      "# obdgate-capture 1\n# adapter: vLinker\n# recorded: unknown\n#vehicle: \n# a remark\n0.1 > 010C\\r\n# vehicle: late\n",
      as: .capture)
    #expect(log.headers == 1)
    #expect(log.adapter == "vLinker")
    #expect(log.vehicle.isEmpty)
    #expect(log.provenance.isEmpty)
    #expect(log.recorded == nil)
  }

  @Test func a_capture_of_a_header_alone_is_announced_at_its_end() throws {
    let log = try read("# obdgate-capture 1\n# recorded: 1970-01-01T00:00:01Z", as: .capture)
    #expect(log.headers == 1)
    #expect(log.recorded == 1_000_000_000)
    #expect(log.events.isEmpty)
  }

  @Test func obd2raw_says_when_it_was_started_and_through_what() throws {
    let log = try read(
      "# obd2-raw v1\n# transport=ble device=OBDLink MX+\n# started=1970-01-01T00:00:02Z\n0.1 N x\n", as: .obd2raw)
    #expect(log.recorded == 2_000_000_000)
    #expect(log.adapter == "OBDLink MX+")
  }

  @Test func a_byte_order_mark_is_not_part_of_a_line() throws {
    let text = "\u{FEFF}# obdgate-capture 1\r\n0.5 > 010C\\r\r\n"
    #expect(try detect(text) == .capture)
    #expect(try read(text, as: .capture).events == [to("010C\r", .after(0.5))])
    #expect(try read("\u{FEFF}(1.0) can0 7DF#02010C\n", as: .candump).events.first == to("010C\r", .after(1)))
  }

  @Test func python_OBD_events_printed_by_two_handlers_count_once() throws {
    let log = #"""
      [obd.elm327] write: b'010C\r'
      DEBUG:obd.elm327:write: b'010C\r'
      [obd.elm327] read: b'41 0C 14 5F \r\r>'
      DEBUG:obd.elm327:read: b'41 0C 14 5F \r\r>'
      """#
    #expect(try read(log, as: .pythonOBD).events == [to("010C\r"), from("41 0C 14 5F \r\r>")])
    let single = #"DEBUG:obd.elm327:write: b'010C\r'"#
    #expect(try read(single, as: .pythonOBD).events == [to("010C\r")])
  }

  @Test func python_OBD_bytes_in_either_quote_and_as_bytearray_are_the_same() throws {
    let log = #"""
      [obd.elm327] read: b"it's \x3e"
      [obd.elm327] read: bytearray(b'it\'s \x3e')
      [obd.elm327] read: b''
      """#
    #expect(try read(log, as: .pythonOBD).events == [from("it's >"), from("it's >")])
  }

  @Test func obdgpsloggers_line_feed_behind_a_prompt_is_the_adapters() throws {
    #expect(
      try read("ATZ\rATZ\r\r\nELM327\r\n\r\n>\n0100\r41", as: .obdgpslogger).events == [
        to("ATZ\r"), from("ATZ\r\r\nELM327\r\n\r\n>"), from("\n"), to("0100\r"), from("41"),
      ])
  }

  @Test func an_endless_obdgpslogger_reply_is_delivered_in_parts() throws {
    let bytes = Array("ATMA\r".utf8) + Array(repeatElement(Array("7E8 00\r".utf8), count: 20_000).joined())
    let whole = try read(bytes, as: .obdgpslogger).events
    #expect(whole.count == 4)
    #expect(whole.flatMap(\.bytes) == bytes)
    #expect(try read(bytes, as: .obdgpslogger, chunk: 4097).events == whole)
  }

  @Test func socat_with_the_adapter_on_the_left_is_turned_round() throws {
    let log = """
      < 2015/07/10 06:17:32.249713  length=4 from=0 to=3
      ATZ\\r> 2015/07/10 06:17:32.331020  length=6 from=0 to=5
      ELM\\r\\r>
      """
    #expect(try read(log, as: .socat).events.map(\.direction) == [.toAdapter, .fromAdapter])
    let late = """
      > 2015/07/10 06:17:32.331020  length=6 from=0 to=5
      ELM\\r\\r>< 2015/07/10 06:17:32.249713  length=4 from=0 to=3
      ATZ\\r
      """
    #expect(try read(late, as: .socat).events.map(\.direction) == [.fromAdapter, .toAdapter])
  }

  @Test func a_truncated_last_socat_transfer_is_delivered() throws {
    let log = "> 2015/07/10 06:17:32.249713  length=5 from=0 to=4\n010"
    #expect(try read(log, as: .socat).events.map(\.bytes) == [Array("010".utf8)])
  }

  @Test func socats_own_messages_are_no_transfers() throws {
    let log = "2026/11/21 09:41:10 socat[6977] N starting\n> 2015/07/10 06:17:32.249713  length=3 from=0 to=2\nAT\\r"
    #expect(try detect(log) == .socat)
    #expect(try read(log, as: .socat).events.map(\.bytes) == [Array("AT\r".utf8)])
  }

  @Test func an_app_log_that_shows_one_prompt_gets_no_other() throws {
    let log = "> ATZ\n< ELM327 v1.5>\n> 010C\n< STOPPED\n> 010D\n< 41 0D 00\n"
    #expect(
      try read(log, as: .appLog).events == [
        to("ATZ\r"), from("ELM327 v1.5\r>"), to("010C\r"), from("STOPPED\r"), to("010D\r"), from("41 0D 00\r"),
      ])
  }

  @Test func messages_of_the_app_within_a_reply_are_skipped() throws {
    let log = "10:00:00 > ATPPS\n10:00:00 < 00:FF F\n18:00 F\n10:00:01 connected to the adapter\n10:00:02 > 010C\n"
    #expect(
      try read(log, as: .appLog).events.map(\.bytes)
        == ["ATPPS\r", "00:FF F\r", "18:00 F\r", "\r>", "010C\r", "\r>"].map {
          Array($0.utf8)
        })
  }

  @Test(arguments: [
    ("C2 33 F1 01 0C F3", "010C\r"), ("c133f18166", "81\r"), ("68 6A F1 01 0C D0", "010C\r"),
    ("C2 33 F1 01 0C F4", "C2 33 F1 01 0C F4\r"), ("22 F1 90", "22 F1 90\r"),
  ])
  func a_K_line_request_with_a_right_checksum_becomes_its_command(request: String, command: String) throws {
    #expect(try read(">> \(request)\n", as: .appLog).events.first == to(command))
  }
}
