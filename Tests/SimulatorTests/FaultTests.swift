import Simulator
import Testing

@testable import SimulatorTestKit

/// The effect of each fault on a dialogue.
@Suite struct FaultTests {
  /// Returns a host with echo off and protocol 6 that has received one answer. Faults that would disturb this begin
  /// later.
  private func host(_ faults: String, _ scenario: String = Cars.can11) throws -> SimulatedDialogue {
    var host = try SimulatedDialogue(scenario, faults: faults)
    host.prepare("ATE0", "ATSP6", "ATS0", "010C")
    host.wait(.seconds(10) - host.now)
    return host
  }

  private static let good = "410C1AF8\r\r>"

  @Test(arguments: [
    ("promptTwice", "410C1AF8\r\r>\r>"), ("crlf", "410C1AF8\r\n\r\n>"), ("replyTwice", "410C1AF8\r\r>410C1AF8\r\r>"),
    ("promptOK", "410C1AF8\rOK\r\r>"),
    ("canError", "CAN ERROR\r\r>"), ("busError", "BUS ERROR\r\r>"), ("busBusy", "BUS BUSY\r\r>"),
    ("stopped", "STOPPED\r\r>"), ("err=94", "ERR94\r\r>"), ("bufferFull", "410C\rBUFFER FULL\r\r>"),
    ("dataError", "410C1AF8 <DATA ERROR\r\r>"), ("rxError", "410C <RX ERROR\r\r>"), ("noData=0C", "NO DATA\r\r>"),
    ("noData=010C", "NO DATA\r\r>"), ("busy=010C", "7F0121\r\r>"), ("negative=0C:12", "7F0112\r\r>"),
    ("pending=0C:20ms", "7F0178\r410C1AF8\r\r>"), ("ecuGone=7E8", "NO DATA\r\r>"), ("noPID=0C", "NO DATA\r\r>"),
    ("unknown=010C", "?\r\r>"), ("duplicate", "410C1AF8\r410C1AF8\r\r>"), ("lostFrame", "NO DATA\r\r>"),
    ("ignitionOff", "NO DATA\r\r>"),
  ])
  func an_answer_is_changed_while_the_fault_holds_and_good_before_and_after(_ fault: String, _ expected: String) throws
  {
    var host = try host(fault + "@20s..30s")
    #expect(host.request("010C") == Self.good)
    host.wait(.seconds(20) - host.now)
    host.write("010C\r")
    #expect(host.wait(.seconds(5)) == expected)
    host.wait(.seconds(31) - host.now)
    // After ERR94, the settings are lost.
    if fault.hasPrefix("err") { host.prepare("ATE0", "ATSP6", "ATS0") }
    #expect(host.request("010C") == Self.good)
  }

  @Test func a_fault_with_one_time_strikes_once() throws {
    var host = try host("promptLost@20s,canError@20s")
    host.wait(.seconds(20) - host.now)
    #expect(host.request("ATI", within: .seconds(1)) == "ELM327 v1.5\r\r")
    #expect(host.request("ATI") == "ELM327 v1.5\r\r>")
    #expect(host.request("010C") == "CAN ERROR\r\r>")
    #expect(host.request("010C") == Self.good)
  }

  @Test func the_noise_faults_change_bytes() throws {
    var nul = try host("nul@20s..")
    nul.wait(.seconds(11))
    #expect(nul.request("ATI") == "ELM327 v1.5\r\r>".map { "\0\($0)" }.joined())
    var drop = try host("drop@20s..")
    drop.wait(.seconds(11))
    #expect(drop.request("ATI", within: .seconds(2)) == "")
    var flip = try host("flip@20s..")
    flip.wait(.seconds(11))
    _ = flip.request("ATI", within: .seconds(2))
    let wrong = Array(flip.pieces.map(\.bytes).joined().suffix(14))
    #expect(zip(wrong, "ELM327 v1.5\r\r>".utf8).allSatisfy { ($0 ^ $1).nonzeroBitCount == 1 })
    var split = try host("split@20s..")
    split.wait(.seconds(11))
    let before = split.pieces.count
    _ = split.request("ATI")
    #expect(split.pieces[before...].map(\.bytes.count) == [Int](repeating: 1, count: 14))
  }

  @Test func garbage_comes_by_itself() throws {
    var host = try host("garbage=1000@20s")
    let count = { (host: borrowing SimulatedDialogue) in host.pieces.map(\.bytes.count).reduce(0, +) }
    let before = count(host)
    host.wait(.seconds(15))
    #expect(count(host) - before == 1000)
    #expect(host.request("010C") == Self.good)
  }

  @Test func a_trickle_is_one_byte_a_second() throws {
    var host = try host("trickle@20s..40s")
    host.wait(.seconds(20) - host.now)
    host.write("ATI\r")
    #expect(host.wait(.milliseconds(5500)) == "ELM32")
  }

  @Test func a_silent_adapter_loses_commands_and_a_hanging_one_executes_them_later() throws {
    var silent = try host("silent@20s..30s")
    silent.wait(.seconds(21) - silent.now)
    silent.write("010C\r")
    #expect(silent.wait(.seconds(20)) == "")
    #expect(silent.request("010C") == Self.good)
    var hanging = try host("hang@20s..50s")
    hanging.wait(.seconds(21) - hanging.now)
    hanging.write("010C\r")
    #expect(hanging.wait(.seconds(28)) == "")
    #expect(hanging.wait(.seconds(3)) == Self.good)
  }

  @Test func the_echo_faults_change_the_echo() throws {
    var double = try SimulatedDialogue(Cars.can11, faults: "echoDouble")
    #expect(double.request("ATE0") == "AATTEE00\rOK\r\r>")
    var all = try SimulatedDialogue(Cars.can11, faults: "echoAll")
    #expect(all.request("ATZ", within: .seconds(3)) == "ATZ\r")
  }

  @Test func a_gps_receiver_talks_and_does_not_listen() throws {
    var host = try SimulatedDialogue(Cars.can11, faults: "gps")
    let said = host.request("ATZ", within: .milliseconds(2500))
    #expect(
      said.split(separator: "\r\n").map { $0.prefix(6) } == [
        "$GPRMC", "$GPGGA", "$GPRMC", "$GPGGA", "$GPRMC", "$GPGGA",
      ])
    #expect(said.hasPrefix("$GPRMC,000000.00,A,4807.0380,N,01131.0000,E,0.0,0.0,150626,,,A*"))
  }

  @Test(arguments: [
    ("reset", "\r\rELM327 v1.5\r\r>"), ("lvReset", "\r\rLV RESET\r\r>"), ("brownOut=2s", "\r\rELM327 v1.5\r\r>"),
  ])
  func a_restart_in_the_middle_loses_the_settings(_ fault: String, _ banner: String) throws {
    var host = try host(fault + "@20s")
    host.wait(.milliseconds(19_990) - host.now)
    host.write("010C\r")
    // The answer in progress is lost.
    #expect(host.wait(.seconds(4)) == banner)
    #expect(host.request("010C") == "010C\rSEARCHING...\r41 0C 1A F8 \r\r>")
  }

  @Test func faults_delay_drop_and_damage_the_banner() throws {
    var late = try host("bannerLate=3s")
    late.write("ATZ\r")
    #expect(late.wait(.milliseconds(3700)) == "")
    #expect(late.wait(.seconds(1)) == "\r\rELM327 v1.5\r\r>")
    var missing = try host("bannerMissing")
    #expect(missing.request("ATZ") == "\r>")
    var dirty = try host("bannerByte=FC")
    _ = dirty.request("ATZ")
    #expect(dirty.pieces.map(\.bytes).joined().contains([0xFC, 0x0D, 0x0D, 0x45]))
  }

  @Test func alerts_come_between_answers() throws {
    var host = try host("actAlert@20s")
    host.wait(.milliseconds(19_990) - host.now)
    host.write("010C\r")
    #expect(host.wait(.seconds(1)) == Self.good + "ACT ALERT\r\r>")
    var sleepy = try self.host("lpAlert@20s")
    #expect(sleepy.wait(.seconds(11)) == "LP ALERT\r\r>")
    sleepy.wait(.seconds(3))
    #expect(sleepy.request("A", within: .seconds(1)) == "\r\rELM327 v1.5\r\r>")
  }

  @Test func the_search_fails_or_takes_long() throws {
    var long = try SimulatedDialogue(Cars.can11, faults: "searching=12s")
    long.prepare("ATE0")
    long.write("0100\r")
    #expect(long.wait(.seconds(12)) == "SEARCHING...")
    #expect(long.wait(.seconds(1)) == "\r41 00 88 18 00 00 \r\r>")
    var never = try SimulatedDialogue(Cars.can11, faults: "unableToConnect@0s")
    never.prepare("ATE0")
    #expect(never.request("0100") == "SEARCHING...\rUNABLE TO CONNECT\r\r>")
    #expect(never.request("0100").hasSuffix("41 00 88 18 00 00 \r\r>"))
    var thrice = try SimulatedDialogue(Cars.idling("kwpFast", ecus: Cars.engine("10")), faults: "busInitError=3")
    thrice.prepare("ATE0", "ATSP5")
    for _ in 0..<3 { #expect(thrice.request("0100") == "BUS INIT: ERROR\r\r>") }
    #expect(thrice.request("0100").hasPrefix("BUS INIT: OK\r41 00 "))
  }

  @Test func a_fault_makes_the_adapter_refuse_single_commands() throws {
    var host = try SimulatedDialogue(Cars.can11, faults: "unknown=ATS0,unknown=AT AT,noSuffix,protocolZero")
    host.prepare("ATE0", "ATSP6")
    #expect(host.request("ATS0") == "?\r\r>")
    #expect(host.request("ATAT2") == "?\r\r>")
    #expect(host.request("ATL0") == "OK\r\r>")
    #expect(host.request("010C1") == "?\r\r>")
    #expect(host.request("ATDPN") == "0\r\r>")
    var none = try SimulatedDialogue(Cars.can11, faults: "unknown=AT*")
    #expect(none.request("ATE0") == "ATE0\r?\r\r>")
  }

  @Test func a_fault_removes_one_parameter_from_an_answer_of_several() throws {
    var one = try host("noPID=0D@20s..")
    #expect(one.request("010C0D05") == "008\r0:410C1AF80D7B\r1:057B0000000000\r\r>")
    one.wait(.seconds(11))
    #expect(one.request("010C0D05") == "410C1AF8057B\r\r>")
    var single = try host("noMultiPID")
    #expect(single.request("010C0D") == "NO DATA\r\r>")
    #expect(single.request("010C") == Self.good)
  }

  @Test func one_of_two_ecus_vanishes() throws {
    var host = try host("ecuGone=7E9@20s..30s", Cars.twoECUs)
    #expect(host.request("010D") == "410D7B\r410D7C\r\r>")
    host.wait(.seconds(21) - host.now)
    #expect(host.request("010D") == "410D7B\r\r>")
    host.wait(.seconds(31) - host.now)
    #expect(host.request("010D") == "410D7B\r410D7C\r\r>")
  }

  @Test func the_fault_senders_adds_ecus_that_answer() throws {
    var host = try host("senders=9")
    host.prepare("ATH1")
    #expect(
      host.request("010C").split(separator: "\r").map { $0.prefix(3) }
        == ["7E8", "7E9", "7EA", "7EB", "7EC", "7ED", "7EE", "7EF", "7F0", ">"])
    var kwp = try SimulatedDialogue(Cars.idling("kwpFast", ecus: Cars.engine("10")), faults: "senders=2")
    kwp.prepare("ATE0", "ATH1")
    #expect(kwp.request("010C") == "SEARCHING...\r84 F1 10 41 0C 1A F8 E4 \r84 F1 11 41 0C 1A F8 E5 \r\r>")
  }

  @Test func faults_damage_messages_as_their_names_say() throws {
    var short = try host("shortVIN=16")
    #expect(short.request("0902") == "013\r0:490201314434\r1:47503030523535\r2:42313233343500\r\r>")
    var sequence = try host("badSequence@20s")
    sequence.wait(.seconds(21) - sequence.now)
    #expect(sequence.request("0902") == "014\r0:490201314434\r4:47503030523535\r2:42313233343536\r\r>")
    var check = try SimulatedDialogue(Cars.idling("iso9141", ecus: Cars.engine("10")), faults: "badChecksum")
    check.prepare("ATE0", "ATH1")
    #expect(check.request("010C") == "SEARCHING...\r48 6B 10 41 0C 1A F8 \(hex(0x22 ^ 0x5A)) \r\r>")
    var cut = try host("truncate@20s")
    cut.wait(.seconds(21) - cut.now)
    let reply = cut.request("010C")
    #expect(
      reply.utf8.count < Self.good.utf8.count && reply.hasSuffix("\r\r>") && Self.good.hasPrefix(reply.dropLast(3)))
  }

  private func hex(_ byte: Int) -> String { String(byte, radix: 16, uppercase: true) }

  @Test func a_replugged_adapter_has_lost_its_settings() throws {
    var host = try host("unplug@20s..25s")
    #expect(host.isPlugged == true)
    host.wait(.seconds(21) - host.now)
    #expect(host.isPlugged == false)
    #expect(host.request("010C", within: .seconds(1)) == "")
    host.wait(.seconds(26) - host.now)
    #expect(host.isPlugged == true)
    #expect(host.request("ATI") == "ATI\rELM327 v1.5\r\r>")
  }

  @Test func the_voltage_fault_gives_no_voltage() throws {
    var host = try host("emptyVoltage")
    #expect(host.request("ATRV") == "0.0V\r\r>")
  }

  @Test func a_late_prompt_follows_its_answer() throws {
    var host = try host("promptLate=500ms@20s")
    host.wait(.seconds(21) - host.now)
    host.write("ATI\r")
    #expect(host.wait(.milliseconds(400)) == "ELM327 v1.5\r")
    #expect(host.wait(.milliseconds(200)) == "\r>")
  }

  @Test func an_stn_chip_waits_for_a_pending_answer() throws {
    let fault = "pending=0906:2s"
    var elm = try host(fault)
    #expect(elm.request("0906") == "7F0978\r\r>")
    let car = Cars.idling("can11/500", ecus: Cars.engine("7E8"), adapter: #"{"kind": "stn"}"#)
    var stn = try host(fault, car)
    #expect(stn.request("0906") == "7F0978\r4906011791BC82\r\r>")
  }

  @Test func a_joined_answer_comes_in_one_piece_with_the_next_one() throws {
    // Bytes arrive in the groups in which a USB bridge with its usual timer sends them.
    let bridge = Cars.idling("can11/500", ecus: Cars.engine("7E8"), adapter: #"{"chunkTime": 16}"#)
    var host = try host("replyJoined@20s", bridge)
    host.wait(.seconds(20) - host.now)
    host.write("010C\r")
    #expect(host.wait(.seconds(5)) == "")
    let before = host.pieces.count
    #expect(host.request("ATI") == Self.good + "ELM327 v1.5\r\r>")
    #expect(host.pieces.count == before + 1)
    #expect(host.request("010C") == Self.good)
  }
}
