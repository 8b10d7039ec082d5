import OBDWire
import Testing

@testable import AdapterSession

@Suite struct CommandTests {
  private func text(_ command: Command) -> String {
    var bytes: [UInt8] = []
    for i in command.bytes.indices { bytes.append(command.bytes[i]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func requests_are_written_in_upper_case_with_their_count() {
    var request = ReadRequest.currentData(0x0C)
    var isAdded = request.add(0x0D)
    isAdded = request.add(0xAB) && isAdded
    #expect(isAdded)
    #expect(text(Command(request)) == "010C0DAB\r")
    #expect(text(Command(request, expectedFrames: 12)) == "010C0DABC\r")
    #expect(text(Command(request, expectedFrames: 16)) == "010C0DAB\r", "one digit only")
    #expect(text(Command(.dataIdentifier(0xF40C))) == "22F40C\r")
    #expect(text(Command(.localIdentifier(0x01))) == "2101\r")
    #expect(text(Command(.freezeFrame(0x0C, frame: 1))) == "020C01\r")
    #expect(text(Command(.permanentCodesUDS)) == "195533\r")
  }

  @Test func a_request_fits_a_single_frame() {
    for service in ReadService.allCases {
      var request = ReadRequest.one(service, 0x01)
      while request.add(0x02) {}
      var count = 0
      request.forEachByte { _ in count += 1 }
      #expect(count <= 7, "\(service)")
    }
  }

  @Test func adapter_commands_are_written_as_the_data_sheet_has_them() {
    let pairs: [(AdapterCommand, String)] = [
      (.reset, "ATZ"), (.timeout(0x32), "ATST32"), (.preferProtocol(0x36), "ATSPA6"),
      (.header(.can11(0x7E0)), "ATSH7E0"),
      (.header(.can29(0x18DA_10F1)), "ATSHDA10F1"), (.priority(0x18), "ATCP18"), (.receive(.can11(0x7E8)), "ATCRA7E8"),
      (.receive(.can29(0x18DA_F110)), "ATCRA18DAF110"), (.flowControlHeader(.can29(0x18DA_10F1)), "ATFCSH18DA10F1"),
      (.header(.legacy(0x68_6AF1)), "ATSH686AF1"), (.closeProtocol, "ATPC"),
    ]
    for (command, expected) in pairs { #expect(text(Command(command)) == expected + "\r") }
  }

  /// No request begins with a service that writes, and no command contains a byte that ends it early.
  @Test func no_request_can_carry_a_service_that_writes() {
    let allowed: Set<UInt8> = [0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x09, 0x0A, 0x19, 0x21, 0x22]
    #expect(Set(ReadService.allCases.map(\.rawValue)) == allowed)
    for service in UInt8.min...UInt8.max where !allowed.contains(service) {
      #expect(ReadService(rawValue: service) == nil)
    }
    for identifier in stride(from: UInt16(0), through: 0xFF00, by: 0xFF) {
      for question in [
        AddressedRequest.Question.dataIdentifier(identifier), .localIdentifier(UInt8(truncatingIfNeeded: identifier)),
        .currentData(UInt8(truncatingIfNeeded: identifier)),
      ] {
        let row = AddressedRequest(question: question, header: .can11(0x7E0), period: 0)
        let written = text(Command(row.request))
        #expect(written.hasPrefix("01") || written.hasPrefix("21") || written.hasPrefix("22"))
        #expect(written.dropLast().allSatisfy { $0.isHexDigit } && written.last == "\r")
      }
    }
  }

  @Test func every_command_fits_its_buffer() {
    var longest = ReadRequest.currentData(1)
    while longest.add(2) {}
    #expect(Command(longest, expectedFrames: 15).count <= Command.capacity)
    #expect(Command(.flowControlHeader(.can29(0x1FFF_FFFF))).count <= Command.capacity)
  }
}
