import Testing

@testable import Spool
@testable import Telemetry

@Suite struct StoredLineTests {
  private static func render(_ line: StoredLine, time: Int64, _ wall: WallTime) -> String {
    var renderer = RecordRenderer()
    var out: [UInt8] = []
    renderer.write(
      line.bytes.span, epoch: UUIDv7(milliseconds: 5, first: 6, rest: 7), sequence: 42, time: time, wall: wall, to: &out
    )
    return String(decoding: out, as: UTF8.self)
  }

  private static func expected(_ type: RecordType, _ number: Int, _ time: RecordTime) -> RecordHead {
    var head = SpoolLines.head(type, number, time: time)
    head.epoch = UUIDv7(milliseconds: 5, first: 6, rest: 7)
    head.sequence = 42
    return head
  }

  @Test(arguments: RecordType.allCases) func every_type_leaves_as_its_encoder_would_have_written_it(
    _ type: RecordType
  ) throws {
    let body = [UInt8](#","note":"a\"b\\"}"#.utf8) + [0x0A]
    func line(_ head: RecordHead) -> [UInt8] {
      var line = JSONLineEncoder()
      line.begin()
      head.write(to: &line)
      return line.line.indices.map { line.line[$0] } + body
    }
    let stored = try StoredLine(parsing: line(SpoolLines.head(type, 7)).span)
    #expect(stored.type == type)
    let wall = RecordTime.wall(Timestamp(nanoseconds: SpoolLines.day + 7), .ntp)
    let known = Self.render(stored, time: 7, WallTime(offset: SpoolLines.day, quality: .ntp))
    #expect(known == String(decoding: line(Self.expected(type, 7, wall)), as: UTF8.self))
    let unknown = Self.render(stored, time: 7_500_000_000, .unknown)
    let elapsed = Self.expected(type, 7, .elapsed(nanoseconds: 7_500_000_000))
    #expect(unknown == String(decoding: line(elapsed), as: UTF8.self))
  }

  @Test func a_wrong_time_is_not_delivered() throws {
    let old = RecordTime.wall(Timestamp(nanoseconds: SpoolLines.second), .system)
    let stored = try StoredLine(
      parsing: SpoolLines.record(
        SpoolLines.head(.gap, 1, time: old), GapRecord(fromSequence: 1, toSequence: 2, reason: .powerLoss)
      )
      .span)
    let text = Self.render(stored, time: 0, WallTime(offset: SpoolLines.day, quality: .gps))
    #expect(!text.contains("1970"))
    #expect(text.contains(#""timestamp":"2026-11-21T00:00:00.000Z","timeQuality":"gps""#), "\(text)")
  }

  /// If the clock is corrected, the times of a trip move with it.
  @Test func a_trips_moments_keep_their_distance_to_its_time() throws {
    var trip = TripRecord(tripId: UUIDv7(milliseconds: 1, first: 1, rest: 1), event: .end)
    // The time is from the clock of a computer without a battery: the first half hour of 1970.
    trip.startTime = Timestamp(nanoseconds: 60 * SpoolLines.second)
    trip.endTime = Timestamp(nanoseconds: 1_859 * SpoolLines.second)
    trip.distance = 12.5
    let made = RecordTime.wall(Timestamp(nanoseconds: 1_860 * SpoolLines.second), .system)
    let stored = try StoredLine(parsing: SpoolLines.record(SpoolLines.head(.trip, 1, time: made), trip).span)
    let wall = WallTime(offset: SpoolLines.day - 1_860 * SpoolLines.second, quality: .ntp)
    trip.startTime = Timestamp(nanoseconds: SpoolLines.day - 1_800 * SpoolLines.second)
    trip.endTime = Timestamp(nanoseconds: SpoolLines.day - SpoolLines.second)
    let time = RecordTime.wall(Timestamp(nanoseconds: SpoolLines.day), .ntp)
    let wanted = String(decoding: SpoolLines.record(Self.expected(.trip, 1, time), trip), as: UTF8.self)
    #expect(Self.render(stored, time: 1_860 * SpoolLines.second, wall) == wanted)
  }

  @Test func a_trips_moments_are_absent_while_the_date_is_not_known() throws {
    var trip = TripRecord(tripId: UUIDv7(milliseconds: 1, first: 1, rest: 1), event: .start)
    trip.startTime = Timestamp(nanoseconds: 60 * SpoolLines.second)
    trip.distance = 0
    let made = RecordTime.wall(Timestamp(nanoseconds: 61 * SpoolLines.second), .system)
    let stored = try StoredLine(parsing: SpoolLines.record(SpoolLines.head(.trip, 1, time: made), trip).span)
    trip.startTime = nil
    let wanted = SpoolLines.record(Self.expected(.trip, 1, .elapsed(nanoseconds: 5)), trip)
    #expect(Self.render(stored, time: 5, .unknown) == String(decoding: wanted, as: UTF8.self))
  }

  @Test(arguments: [
    ("{}\n", RecordFormError.Kind.malformedHead), (#"{"type":"rumour","id":"x"}"# + "\n", .unknownType),
    (#"{"type":"gap","id":"x","timestamp":"y""# + "\n", .malformedHead), ("\n", .notOneLine), ("", .notOneLine),
    (#"{"type":"gap"}"#, .notOneLine),
  ])
  func a_malformed_stored_record_is_rejected(_ text: String, _ kind: RecordFormError.Kind) {
    #expect { try StoredLine(parsing: Array(text.utf8).span) } throws: { error in
      (error as? RecordFormError)?.kind == kind
    }
  }

  @Test func a_control_character_is_refused_with_its_place() {
    var line = SpoolLines.telemetry(1, text: 4)
    let place = line.count - 4
    line[place] = 0x01
    #expect(throws: RecordFormError(kind: .controlCharacter, offset: place)) { try StoredLine(parsing: line.span) }
  }

  /// Any stored bytes are either read as one line without control characters, or rejected.
  @Test func changed_bytes_are_refused_or_leave_as_one_line() {
    var random = Reproducible(3)
    for round in 0..<3_000 {
      var line = round % 2 == 0 ? SpoolLines.telemetry(round, text: 20) : SpoolLines.event(round)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        line[Int.random(in: 0..<line.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let stored = try? StoredLine(parsing: line.span) else { continue }
      let text = Array(Self.render(stored, time: 1, .unknown).utf8)
      #expect(text.last == 0x0A)
      #expect(text.dropLast().allSatisfy { $0 >= 0x20 })
    }
  }
}
