import TestKit
import Testing

@testable import FleetAPI

/// Requirements of RFC 6455 for servers, according to the case groups 1 to 7 of Autobahn's test suite. That suite needs
/// an echo server. Here, each text is a command, and `{"action":"ping"}` is answered by a text.
@Suite struct WebSocketProtocolTests {
  /// One frame as a client writes it.
  struct Frame: Sendable {
    var opcode: UInt8
    var payload: [UInt8] = []
    var isFinal = true
    var reserved: UInt8 = 0
    var isMasked = true
    /// The number of bytes of the extended length; `nil` for the shortest form.
    var lengthBytes: Int?

    static func text(_ text: String, isFinal: Bool = true) -> Frame {
      Frame(opcode: 1, payload: Array(text.utf8), isFinal: isFinal)
    }
    static func more(_ text: String, isFinal: Bool = true) -> Frame {
      Frame(opcode: 0, payload: Array(text.utf8), isFinal: isFinal)
    }
    static func close(_ code: Int, _ reason: [UInt8] = []) -> Frame {
      Frame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    var bytes: [UInt8] {
      var bytes = [opcode | reserved << 4 | (isFinal ? 0x80 : 0)]
      let mask: UInt8 = isMasked ? 0x80 : 0
      switch payload.count {
      case _ where lengthBytes != nil:
        let count = lengthBytes ?? 0
        bytes += [mask | (count == 2 ? 126 : 127)]
        bytes += (0..<count).map { UInt8(payload.count >> (8 * (count - 1 - $0)) & 0xFF) }
      case 0..<126: bytes.append(mask | UInt8(payload.count))
      case 126...0xFFFF: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
      default: bytes += [mask | 127] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 0xFF) }
      }
      let key: [UInt8] = isMasked ? [0x37, 0xFA, 0x21, 0x3D] : [0, 0, 0, 0]
      return bytes + (isMasked ? key : []) + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }
  }

  /// A case: its number in Autobahn's suite, the frames to send, and the status code with which the server closes.
  typealias Failing = (number: String, frames: [Frame], code: Int)

  private static let ping = #"{"action":"ping"}"#

  static let failing: [Failing] = {
    var cases = wrongFrames
    // 3: reserved bits.
    for bits in UInt8(1)...7 {
      for opcode: UInt8 in [1, 8, 9] {
        cases.append(("3.\(bits) opcode \(opcode)", [Frame(opcode: opcode, reserved: bits)], 1002))
      }
    }
    // 4: reserved opcodes.
    for opcode: UInt8 in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
      cases.append(("4 opcode \(opcode)", [Frame(opcode: opcode)], 1002))
      let between = [Frame.text(ping), Frame(opcode: opcode, payload: [0x78]), Frame.text(ping)]
      cases.append(("4 opcode \(opcode) behind a text", between, 1002))
    }
    // 6: UTF-8; of each text one frame, then the same in single bytes.
    for bytes in invalidTexts {
      cases.append(("6 \(bytes)", [Frame(opcode: 1, payload: bytes)], 1007))
      let pieces = bytes.indices.map { index in
        Frame(opcode: index == 0 ? 1 : 0, payload: [bytes[index]], isFinal: index == bytes.count - 1)
      }
      cases.append(("6 \(bytes) in bytes", pieces, 1007))
    }
    // 7: status codes that are never sent.
    for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] {
      cases.append(("7.9 \(code)", [.close(code)], 1002))
    }
    return cases
  }()

  private static let wrongFrames: [Failing] = [
    // 2: pings.
    ("2.5", [Frame(opcode: 9, payload: [UInt8](repeating: 0xFE, count: 126))], 1002),
    ("2.5 pong", [Frame(opcode: 10, payload: [UInt8](repeating: 0xFE, count: 126))], 1002),
    // RFC 6455, 5.2: a length is written in the shortest form.
    ("length of 2 in 16 bits", [Frame(opcode: 1, payload: Array("{}".utf8), lengthBytes: 2)], 1002),
    ("length of 125 in 16 bits", [Frame(opcode: 1, payload: [UInt8](repeating: 32, count: 125), lengthBytes: 2)], 1002),
    ("length of 126 in 64 bits", [Frame(opcode: 1, payload: [UInt8](repeating: 32, count: 126), lengthBytes: 8)], 1002),
    (
      "long length behind another frame",
      [.text("{", isFinal: false), Frame(opcode: 0, payload: Array("}".utf8), lengthBytes: 8)], 1002
    ),
    // 5: fragments.
    ("5.1", [Frame(opcode: 9, payload: [1], isFinal: false), Frame(opcode: 0, payload: [2])], 1002),
    ("5.2", [Frame(opcode: 10, payload: [1], isFinal: false), Frame(opcode: 0, payload: [2])], 1002),
    ("5.9", [.more("x"), .text(ping)], 1002), ("5.11", [.more("x", isFinal: false)], 1002),
    ("5.15", [.text("{", isFinal: false), .more("}"), .more("x", isFinal: false)], 1002),
    ("5.18", [.text("{", isFinal: false), .text("}")], 1002),
    // 6: rejected as soon as the error is received, even if the message continues.
    ("6.4.1", [Frame(opcode: 1, payload: [0xF4, 0x90], isFinal: false)], 1007),
    (
      "6.4.3",
      [Frame(opcode: 1, payload: [0xCE, 0xBA], isFinal: false), Frame(opcode: 0, payload: [0xFF], isFinal: false)], 1007
    ),
    // 7: close frames.
    ("7.3.2", [Frame(opcode: 8, payload: [0x03])], 1002),
    ("7.3.6", [.close(1000, [UInt8](repeating: 0x2A, count: 124))], 1002),
    ("7.5.1", [.close(1000, [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xED, 0xA0, 0x80])], 1007),
    // Messages that an echo server accepts but that are no commands.
    ("binary", [Frame(opcode: 2, payload: [0, 0xFF])], 1003),
    ("not masked", [Frame(opcode: 1, payload: Array(ping.utf8), isMasked: false)], 1002),
  ]

  /// Autobahn's 6.3, 6.6 to 6.21: cut, too long, surrogates, above U+10FFFF, impossible bytes.
  private static let invalidTexts: [[UInt8]] = [
    [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xED, 0xA0, 0x80], [0xCE], [0xCE, 0xBA, 0xE1, 0xBD], [0xF8, 0x88, 0x80, 0x80, 0x80],
    [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF],
    [0xF4, 0x90, 0x80, 0x80], [0x80], [0xBF], [0x80, 0xBF, 0x80], [0xF5], [0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF],
    [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF],
    [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80],
  ]

  @Test func a_websocket_protocol_error_closes_with_the_code_of_the_standard() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        for (number, frames, code) in Self.failing {
          let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
          _ = try client.event()
          try client.http.write(frames.flatMap(\.bytes))
          guard case .close(let found, _) = try client.close() else { continue }
          #expect(found == code, "\(number)")
          // The server ends the connection itself, and need not wait for this.
          try client.http.write(Frame.close(code).bytes)
          #expect(try client.http.readToEnd().isEmpty, "\(number)")
        }
      }
    }
  }

  /// Groups 1, 2, 5 and 6 with valid frames: each message is answered by one text.
  @Test func valid_websocket_frames_are_answered() async throws {
    let texts = [
      "", "é", "κόσμε", "\u{0}", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFD}",
      "\u{FFFF}",
      "\u{10000}", "\u{10FFFF}", String(repeating: "*", count: 125), String(repeating: "*", count: 126),
      String(repeating: "*", count: 128), String(repeating: "*", count: 16_300),
    ]
    try await TestServer.run { server in
      try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try client.event()
        // The text contains an unknown key. The error shows it, so the text was read correctly.
        for text in texts {
          try client.http.write(Frame.text(text).bytes)
          #expect(try client.event()["event"] as? String == "error")
        }
        // 1.1.8, 6.2: cut anywhere, sent byte by byte.
        for byte in Frame.text(Self.ping).bytes { try client.http.write([byte]) }
        #expect(try client.event()["event"] as? String == "pong")
        let bytes = Array("κόσμε".utf8)
        for (index, byte) in bytes.enumerated() {
          let frame = Frame(opcode: index == 0 ? 1 : 0, payload: [byte], isFinal: index == bytes.count - 1)
          try client.http.write(frame.bytes)
        }
        #expect(try client.event()["event"] as? String == "error")
        // 2.1 to 2.4, 2.10: pings with any payload, each answered with the same payload, in order; 2.7 to 2.9: pongs
        // without a ping.
        for payload in [[], [0x00, 0xFF, 0xFE], [UInt8](repeating: 0xFE, count: 125)] {
          try client.http.write(Frame(opcode: 10, payload: payload).bytes + Frame(opcode: 9, payload: payload).bytes)
          #expect(try client.next() == .pong(payload))
        }
        // 5.6, 5.19: a ping between two fragments; empty fragments.
        try client.http.write(
          [
            Frame.text(#"{"action""#, isFinal: false), Frame(opcode: 9, payload: [7]), .more("", isFinal: false),
            .more(#":"ping"}"#, isFinal: false), .more(""),
          ].flatMap(\.bytes))
        #expect(try client.next() == .pong([7]))
        #expect(try client.event()["event"] as? String == "pong")
      }
    }
  }

  /// Group 7: a close is answered with its own code, and later bytes are ignored.
  @Test(arguments: [
    1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999, nil,
  ])
  func a_close_is_answered_with_its_code(_ code: Int?) async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try WebSocketTestClient(port: server.port, token: server.keys.readOnly)
        _ = try client.event()
        let close = code.map { Frame.close($0, Array("bye".utf8)) } ?? Frame(opcode: 8)
        try client.http.write((close.bytes + Frame.text(Self.ping).bytes))
        guard case .close(let found, _) = try client.next() else {
          Issue.record("no close")
          return
        }
        #expect(found == code ?? 1005)
        #expect(try client.http.readToEnd().isEmpty)
      }
    }
  }
}
