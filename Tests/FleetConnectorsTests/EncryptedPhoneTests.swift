import FleetAccess
import FleetDomain
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// Encrypted messages and recordings of OwnTracks.
@Suite struct EncryptedPhoneTests {
  private static let now = Timestamp(nanoseconds: 1_790_000_000_000_000_000)

  private static func report(_ file: String, key: String? = nil) throws -> PhoneReport {
    let vector = try Sample.json("trackers/owntracks_encrypted_\(file)__vector.json")
    let message = try #require(vector["message"])
    let key = key ?? vector["key"]?.textValue
    return try PhoneFormat.ownTracks.report(
      json: Array(message.canonicalText.utf8), at: now, key: key.map { Array($0.utf8) })
  }

  @Test func a_message_is_opened_with_the_key() throws {
    let position = try #require(try Self.report("key32").positions.first)
    #expect(
      "\(position.time.string) \(JSON.object(position.values).canonicalText)"
        == #"2024-11-01T10:40:00.000Z {"accuracy":12,"gpsSpeed":44,"heading":271,"latitude":52.37022,"#
        + #""longitude":4.89517,"phoneBattery":70}"#)
  }

  @Test func another_key_and_a_changed_message_are_ignored() throws {
    let ignored = ["encrypted message that the key does not open": 1]
    #expect(try Self.report("wrong_key").ignored == ignored)
    #expect(try Self.report("key32", key: "0123456789abcdef0123456789abcdeg").ignored == ignored)
    for file in ["owntracks_schema_e.json", "owntracks_schema_e-nobase64.json"] {
      let bytes = try Sample.bytes("trackers/\(file)")
      #expect(try PhoneFormat.ownTracks.report(json: bytes, at: Self.now, key: Array("k".utf8)).ignored == ignored)
      #expect(
        try PhoneFormat.ownTracks.report(json: bytes, at: Self.now).ignored == ["message of the type encrypted": 1])
    }
    let vector = try Sample.json("trackers/owntracks_encrypted_key32__vector.json")
    var bytes = try #require(vector["message"]?["data"]?.textValue.flatMap(Base64.bytes))
    let key = Array(try #require(vector["key"]?.textValue).utf8)
    #expect(
      SecretBox.open(bytes, key: key).map { String(decoding: $0, as: UTF8.self) } == vector["plaintext"]?.textValue)
    for index in [0, 23, 24, 39, 40, bytes.count - 1] {
      bytes[index] ^= 1
      #expect(SecretBox.open(bytes, key: key) == nil, "byte \(index)")
      bytes[index] ^= 1
    }
    #expect(SecretBox.open(Array(bytes[..<39]), key: key) == nil)
  }

  /// The test vector of RFC 8439, section 2.5.2.
  @Test func the_poly1305_tag_equals_the_one_of_rfc_8439() {
    let key: [UInt8] = [
      0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80,
      0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
    ]
    let message = Array("Cryptographic Forum Research Group".utf8)
    #expect(
      Poly1305.tag(of: message[...], key: key) == [
        0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6, 0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9,
      ])
    // RFC 8439, A.3, vectors 7 to 9: sums at the edge of the prime.
    let two: [UInt8] = [2] + [UInt8](repeating: 0, count: 31)
    let all = [UInt8](repeating: 0xFF, count: 16)
    #expect(Poly1305.tag(of: all[...], key: two) == [3] + [UInt8](repeating: 0, count: 15))
    let most: [UInt8] = [2] + [UInt8](repeating: 0, count: 15) + all
    let small: [UInt8] = [2] + [UInt8](repeating: 0, count: 15)
    #expect(Poly1305.tag(of: small[...], key: most) == [3] + [UInt8](repeating: 0, count: 15))
  }

  /// Recordings of OwnTracks' recorder: time, `*` and the message.
  @Test(arguments: [("2023_02_old", 10, 0), ("2024_03", 9, 4)])
  func recordings_of_owntracks_give_all_their_positions(_ file: String, _ positions: Int, _ others: Int) throws {
    var (found, ignored) = (0, 0)
    for line in try TestData.lines("connectors/trackers/owntracks_rec_\(file).rec") {
      let start = try #require(line.firstIndex(of: "{"))
      let report = try PhoneFormat.ownTracks.report(json: Array(line[start...].utf8), at: Self.now)
      found += report.positions.count
      ignored += report.ignored.values.reduce(0, +)
    }
    #expect(found == positions && ignored == others, "\(found), \(ignored)")
  }

  /// None of OwnTracks' other messages is a position, whether it is valid or not.
  @Test func messages_of_other_types_are_ignored() throws {
    let files = [
      "array-nothing", "card-invalid-b64", "card-volvo", "card-without-all", "card-without-face", "cmd-clearWaypoints",
      "cmd-dump", "cmd-reportLocation", "cmd-reportSteps", "cmd-setConfiguration-config-notype",
      "cmd-setConfiguration-config-wrongtype", "cmd-setConfiguration-noconfiguration", "cmd-setConfiguration-unlock",
      "cmd-setWaypoints-delete", "cmd-status", "cmd-waypoints", "lwt", "lwt-extra", "steps", "steps-kaputt",
      "steps-long-invalid", "steps-nohave", "tour-invalid-request", "tours-request", "tours-response-2", "transition",
      "untour", "untour-illegal", "waypoint-circular", "waypoints-follow-only",
    ]
    for file in files {
      let report = try PhoneFormat.ownTracks.report(
        json: try Sample.bytes("trackers/owntracks_schema_\(file).json"), at: Self.now)
      #expect(report.positions.isEmpty, "\(file)")
    }
  }

  @Test func overland_writes_offsets_without_a_colon() throws {
    let report = try PhoneFormat.overland.report(
      json: try Sample.bytes("trackers/overland_dawarich_geodata.json"), at: Self.now)
    let position = try #require(report.positions.first)
    // 08:00 at 7 hours west of Greenwich, and 4 m/s.
    #expect(
      "\(position.time.string) \(JSON.object(position.values).canonicalText)"
        == #"2015-10-01T15:00:00.000Z {"accuracy":30,"altitude":0,"gpsSpeed":14.4,"latitude":37.3318,"#
        + #""longitude":-122.030581,"phoneBattery":89}"#)
    #expect(report.positions.count == 1 && report.ignored == ["feature that is not a point": 1])
  }
}
