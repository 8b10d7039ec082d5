import Foundation
import Telemetry
import Testing

@Suite struct TimestampTests {
  private func text(_ timestamp: Timestamp) -> String {
    let text = timestamp.text
    return String(decoding: Array(text.span), as: UTF8.self)
  }

  private func parsed(_ text: String) throws(Timestamp.ParsingError) -> Int64 {
    let bytes = Array(text.utf8)
    return try Timestamp(parsing: bytes.span).nanoseconds
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_734_507_666_250_999_999, "2024-12-18T07:41:06.250Z"),
      (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (-62_135_596, "1969-12-31T23:59:59.937Z"), (Int64.max, "2262-04-11T23:47:16.854Z"),
      (Int64.min, "1677-09-21T00:12:43.145Z"),
    ] as [(Int64, String)])
  func a_moment_prints_in_utc_with_milliseconds_rounded_down(nanoseconds: Int64, expected: String) {
    #expect(text(Timestamp(nanoseconds: nanoseconds)) == expected)
  }

  @Test func every_day_of_four_centuries_prints_and_reads_back() throws {
    let calendar = ISO8601DateFormatter()
    calendar.formatOptions = [.withInternetDateTime]
    for day in stride(from: -100_000, through: 100_000, by: 13) {
      let moment = Timestamp(nanoseconds: Int64(day) * 86_400_000_000_000 + 43_201_000_000_000)
      let found = text(moment)
      #expect(try parsed(found) == moment.nanoseconds)
      if day > -90_000 {
        let expected = calendar.string(from: Date(timeIntervalSince1970: Double(day) * 86_400 + 43_201))
        #expect(found == expected.dropLast() + ".000Z")
      }
    }
  }

  @Test(
    arguments: [
      ("2024-12-18T08:41:06.25+01:00", 1_734_507_666_250_000_000),
      ("2024-12-18t07:41:06.25z", 1_734_507_666_250_000_000),
      ("2024-12-18 07:41:06Z", 1_734_507_666_000_000_000), ("2024-12-17T22:11:06-09:30", 1_734_507_666_000_000_000),
      ("1970-01-01T00:00:00.123456789987Z", 123_456_789), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
      ("1969-12-31T23:59:59.5Z", -500_000_000), ("2015-06-30T23:59:60.5Z", 1_435_708_800_500_000_000),
      ("2016-12-31T15:59:60-08:00", 1_483_228_800_000_000_000), ("1972-07-01T01:29:60+01:30", 78_796_800_000_000_000),
    ] as [(String, Int64)])
  func rfc_3339_is_read(source: String, expected: Int64) throws {
    #expect(try parsed(source) == expected)
  }

  @Test(arguments: [
    ("2024-13-01T00:00:00Z", Timestamp.ParsingError.Kind.outOfRange, 5),
    ("2023-02-29T00:00:00Z", .outOfRange, 8), ("2024-02-30T00:00:00Z", .outOfRange, 8),
    ("2024-01-01T24:00:00Z", .outOfRange, 11), ("2024-01-01T00:60:00Z", .outOfRange, 14),
    ("2024-01-01T00:00:61Z", .outOfRange, 17), ("2024-01-01T00:00:00", .malformed, 19),
    ("2024-01-01T00:00:00.Z", .malformed, 20), ("2024-01-01", .malformed, 10), ("", .malformed, 0),
    ("2024-01-01T00:00:00Zx", .trailing, 20), ("2024-01-01T00:00:00+0100", .malformed, 22),
    // A leap second is the last one of June or December, in UTC.
    ("2026-06-29T23:59:60Z", .outOfRange, 17), ("2026-06-30T23:58:60Z", .outOfRange, 17),
    ("2026-06-30T22:59:60Z", .outOfRange, 17), ("2026-06-30T23:59:60+01:00", .outOfRange, 17),
    ("2026-03-31T23:59:60Z", .outOfRange, 17), ("1968-02-29T23:59:60.25Z", .outOfRange, 17),
    ("24-01-01T00:00:00Z", .malformed, 2), ("2263-01-01T00:00:00Z", .outOfRange, 0),
  ])
  func an_invalid_timestamp_is_rejected_at_its_byte_offset(
    source: String, kind: Timestamp.ParsingError.Kind, offset: Int
  ) {
    let error = #expect(throws: Timestamp.ParsingError.self) { try parsed(source) }
    #expect(error?.kind == kind)
    #expect(error?.offset == offset)
  }

  @Test func the_first_and_last_moments_read_back() throws {
    #expect(try parsed("2262-04-11T23:47:16.854775807Z") == Int64.max)
    #expect(try parsed("1677-09-21T00:12:43.145224192Z") == Int64.min)
    #expect(throws: Timestamp.ParsingError.self) { try parsed("2262-04-11T23:47:16.854775808Z") }
  }
}
