import Glibc
import Testing

@testable import Ports

/// Answers in the format of the Core Specification, over a pair of packet sockets instead of L2CAP.
@Suite struct ServiceDiscoveryTests {
  /// Returns one record: attribute 4, L2CAP (0x0100), then RFCOMM (0x0003) with the channel.
  private static func record(channel: UInt8) -> [UInt8] {
    [
      0x35, 0x11, 0x09, 0x00, 0x04, 0x35, 0x0C, 0x35, 0x03, 0x19, 0x01, 0x00, 0x35, 0x05, 0x19, 0x00, 0x03, 0x08,
      channel,
    ]
  }

  private static func list(_ records: [UInt8]...) -> [UInt8] {
    let all = records.flatMap { $0 }
    return [0x35, UInt8(all.count)] + all
  }

  private static func answer(_ transaction: UInt8, _ attributes: [UInt8], more: [UInt8] = []) -> [UInt8] {
    let length = attributes.count + 3 + more.count
    return [0x07, 0, transaction, 0, UInt8(length), 0, UInt8(attributes.count)] + attributes + [UInt8(more.count)]
      + more
  }

  /// Queries a device with these answers, one for each request.
  private static func query(_ answers: [[UInt8]], questions: (([[UInt8]]) -> Void)? = nil) throws -> UInt8 {
    var ends: [Int32] = [-1, -1]
    #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | O_NONBLOCK, 0, &ends) == 0)
    let ours = Descriptor(owning: ends[0])
    let theirs = Descriptor(owning: ends[1])
    for answer in answers { #expect(theirs.send(answer.span) == answer.count) }
    defer {
      var heard: [[UInt8]] = []
      var buffer = [UInt8](repeating: 0, count: 64)
      while true {
        var span = buffer.mutableSpan
        let count = theirs.read(into: &span)
        if count <= 0 { break }
        heard.append(Array(buffer[..<count]))
      }
      questions?(heard)
    }
    return try ServiceDiscovery.serialChannel(over: ours, until: BootClock.after(.milliseconds(30)), unless: nil)
  }

  private static func failure(_ answers: [[UInt8]]) -> ServiceDiscovery.Failure? {
    do {
      _ = try query(answers)
      return nil
    } catch {
      return error as? ServiceDiscovery.Failure
    }
  }

  @Test func the_channel_of_the_serial_port_is_found() throws {
    let channel = try Self.query([Self.answer(1, Self.list(Self.record(channel: 3)))]) { questions in
      #expect(
        questions == [
          [0x06, 0, 1, 0, 13, 0x35, 3, 0x19, 0x11, 0x01, 0x02, 0x00, 0x35, 3, 0x09, 0x00, 0x04, 0]
        ])
    }
    #expect(channel == 3)
  }

  @Test func the_first_of_several_ports_is_taken() throws {
    let records = Self.list(Self.record(channel: 5), Self.record(channel: 1))
    #expect(try Self.query([Self.answer(1, records)]) == 5)
  }

  @Test func an_answer_in_parts_is_put_together_and_asked_on_with_its_continuation() throws {
    let whole = Self.list(Self.record(channel: 2))
    let parts = [Self.answer(1, Array(whole[..<9]), more: [0xAA, 0xBB]), Self.answer(2, Array(whole[9...]))]
    let channel = try Self.query(parts) { questions in
      #expect(questions.count == 2)
      #expect(questions.last?.suffix(3) == [2, 0xAA, 0xBB])
    }
    #expect(channel == 2)
  }

  @Test(arguments: [
    // RFCOMM by a UUID of 32 bits, and of 128.
    [0x35, 0x07, 0x1A, 0, 0, 0, 3, 0x08, 7] as [UInt8],
    [0x35, 0x13, 0x1C, 0, 0, 0, 3, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB, 0x08, 7],
    // The list is one of several alternatives, or its lengths have two or four bytes.
    [0x3D, 0x07, 0x35, 0x05, 0x19, 0x00, 0x03, 0x08, 7],
    [0x36, 0x00, 0x05, 0x19, 0x00, 0x03, 0x08, 7],
    [0x37, 0, 0, 0, 5, 0x19, 0x00, 0x03, 0x08, 7],
  ])
  func every_form_that_the_specification_allows_is_read(_ elements: [UInt8]) {
    var reader = DataElementReader(elements.span)
    #expect(reader.serialChannel() == 7)
  }

  @Test func no_record_means_no_serial_port() {
    #expect(Self.failure([Self.answer(1, [0x35, 0x00])]) == .noSerialPort)
    // A number after another protocol is not a channel.
    #expect(Self.failure([Self.answer(1, [0x35, 0x05, 0x19, 0x01, 0x00, 0x08, 0x01])]) == .noSerialPort)
  }

  @Test func a_list_cut_at_any_byte_gives_no_channel() {
    let whole = Self.list(Self.record(channel: 4))
    for count in whole.indices {
      var reader = DataElementReader(whole.span.extracting(first: count))
      #expect(reader.serialChannel() == nil, "\(count) bytes")
    }
  }

  @Test func an_answer_cut_at_any_byte_is_malformed() {
    let whole = Self.answer(1, Self.list(Self.record(channel: 4)))
    for count in 1..<whole.count {
      guard case .malformed = Self.failure([Array(whole[..<count])]) else {
        Issue.record("\(count) bytes")
        return
      }
    }
  }

  @Test func invalid_discovery_answers_are_rejected_with_their_offset() {
    #expect(Self.failure([[0x09, 0, 1, 0, 2, 0, 0]]) == .malformed(offset: 0))
    #expect(Self.failure([Self.answer(9, [0x35, 0])]) == .malformed(offset: 1))
    #expect(Self.failure([[0x01, 0, 1, 0, 2, 0, 3]]) == .refused(3))
    // The answer announces more bytes than are sent, so reading would never end.
    #expect(Self.failure([Self.answer(1, [], more: [1])]) == .malformed(offset: 5))
  }

  @Test func sequences_nested_without_end_are_given_up() {
    var nested: [UInt8] = [0x19, 0x00, 0x03, 0x08, 1]
    for _ in 0..<40 { nested = [0x35, UInt8(nested.count)] + nested }
    var reader = DataElementReader(nested.span)
    #expect(reader.serialChannel() == nil)
  }

  @Test func service_discovery_without_an_answer_ends_at_the_limit() {
    #expect(Self.failure([]) == .timedOut)
  }
}
