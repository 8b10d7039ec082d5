import Testing

@testable import OBDWire

/// The meaning of a command, in every spelling.
struct RequestTests {
  private func request(_ text: String, formatsCAN: Bool = true) -> (request: Request, link: Link) {
    var link = Link()
    let bytes = ReplyRecorder.bytes(text)
    let request = Request(command: bytes.span, formatsCAN: formatsCAN, link: &link)
    return (request, link)
  }

  private func identifiers(_ text: String, formatsCAN: Bool = true) -> [UInt16] {
    let request = request(text, formatsCAN: formatsCAN).request
    return (0..<request.identifierCount).map { request.identifiers[$0] }
  }

  @Test func question_names_its_service_and_identifiers() {
    #expect(request("010C").request.service == 0x01)
    #expect(identifiers("010C") == [0x0C])
    #expect(identifiers("01 0c 0d 05") == [0x0C, 0x0D, 0x05])
    #expect(identifiers("22F40CF40D") == [0xF40C, 0xF40D])
    #expect(identifiers("2101") == [0x01])
    #expect(identifiers("020C00") == [0x0C])
    #expect(identifiers("020C000D00") == [0x0C, 0x0D])
    #expect(identifiers("1902FF") == [0x02])
    #expect(identifiers("03") == [])
  }

  @Test func odd_last_digit_is_a_number_of_answers() {
    #expect(identifiers("010C1") == [0x0C])
    #expect(identifiers("010C0D051") == [0x0C, 0x0D, 0x05])
    #expect(request("031").request.service == 0x03)
  }

  @Test func protocol_control_byte_counts_only_behind_ATCAF0() {
    #expect(identifiers("02010C", formatsCAN: false) == [0x0C])
    #expect(request("02010C", formatsCAN: false).request.service == 0x01)
    #expect(request("02010C").request.service == 0x02)
  }

  @Test func header_receiver_and_options_stand_around_the_command() {
    let full = request("7E0.7E8.0144|f=2009-").request
    #expect(full.service == 0x01 && full.receiver == .can11(0x7E8) && !full.isExtended)
    let extended = request("750.758.2116|t=96,e=2A,ta=2A").request
    #expect(extended.isExtended && extended.extendedAddress == 0x2A)
    #expect(request("DA10.18DAF110.22F40C").request.receiver == .can29(0x18DA_F110))
    #expect(request("686A.10.010C").request.receiver == .legacy(0x10))
    #expect(request("DB33.010C").request.receiver == .unknown)
  }

  @Test func settings_of_the_adapter_hint_at_the_bus() {
    #expect(request("ATSP6").link.hinted == .can11)
    #expect(request("AT SP A7").link.hinted == .can29)
    #expect(request("ATTP3").link.hinted == .iso9141)
    #expect(request("ATSP0").link.hinted == .auto)
    #expect(!request("ATCAF0").link.formatsCAN && request("ATCAF1").link.formatsCAN)
  }

  @Test func text_that_is_not_a_command_is_not_a_request() {
    for text in ["", "   ", "HELLO", "01XC", "."] { #expect(request(text).request.kind == .unknown) }
  }

  @Test func more_identifiers_than_fit_are_left_out() {
    #expect(identifiers("01" + String(repeating: "0C", count: 30)).count == 12)
  }
}
