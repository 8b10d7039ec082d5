import Captures
import Testing

@Suite struct CaptureTimeTests {
  private func times(_ log: String, as format: CaptureFormat) throws -> [CaptureTime] {
    try read(log, as: format).events.map(\.time)
  }

  @Test func candump_differences_are_added_up() throws {
    let log = [0.0, 0.5, 0.25, 0.25, 0.125].map { "(\($0)) can0 7E8 [8] 21 00 00 00 00 00 00 00\n" }.joined()
    // The second stamp could be a count. After the first decrease, the stamps are differences.
    #expect(
      try times(log, as: .candump) == [.after(0), .after(0.5), .after(0.75), .after(1), .after(1.125), .after(1.125)])
  }

  @Test func candump_dates_without_a_zone_are_UTC() throws {
    let log = "(2015-07-10 06:17:32.249713)  can0  7E8   [2]  21 00\n"
    #expect(try times(log, as: .candump).first == .at(1_436_509_052, 249_713))
  }

  @Test func a_CRTD_of_a_module_without_the_time_counts_from_its_first_record() throws {
    let log = "100.602 CXX Info\n101.562 1R11 7E8 21 00\n112.562 1R11 7E8 22 00\n1563200000.5 1R11 7E8 23 00\n"
    #expect(try times(log, as: .crtd).prefix(3) == [.after(0.96), .after(11.96), .at(1_563_200_000, 500_000)])
  }

  @Test func socat_nanoseconds_are_told_from_padded_microseconds() throws {
    let log = """
      > 2015/07/10 06:17:32.249713123  length=5 from=0 to=4
      010C\\r
      < 2015/07/10 06:17:33.000249713  length=2 from=0 to=1
      OK
      """
    #expect(try times(log, as: .socat) == [.wall(1_436_509_052_249_713_123), .wall(1_436_509_053_000_249_713)])
  }

  /// Found by fuzzing: the sum overflowed.
  @Test func a_reply_that_takes_centuries_keeps_the_time_of_its_command() throws {
    let log = "2021-01-01 00:00:00 > 010C\n<[7777777327] 41 0C 0A A0\n"
    let times = try times(log, as: .appLog)
    #expect(times.first == .at(1_609_459_200))
    #expect(times.allSatisfy { $0 == times.first }, "\(times)")
  }

  @Test(arguments: [
    ("1436509052.25", CaptureTime.at(1_436_509_052, 250_000)), ("0.25", .after(0.25)), ("[12:34:56]", .after(0)),
    ("2015-07-10T06:17:32Z", .at(1_436_509_052)), ("2015-07-10T08:17:32.5+02:00", .at(1_436_509_052, 500_000)),
    ("2015-07-10 01:17:32-0500", .at(1_436_509_052)), ("(2015-07-10 06:17:32,25)", .at(1_436_509_052, 250_000)),
    ("2016-02-29 00:00:00", .at(1_456_704_000)), ("2000-12-31 23:59:59", .at(978_307_199)),
  ])
  func an_app_logs_stamp_is_read_in_whatever_form_it_has(stamp: String, time: CaptureTime) throws {
    #expect(try times("\(stamp) > 010C\n\(stamp) < 41 0C 00 00\n", as: .appLog).first == time)
  }

  @Test(arguments: ["25:00:00", "12:60:00", "2015-13-10 06:17:32", "2015-07-10 24:17:32", "99999999999"])
  func text_that_is_not_a_time_is_not_a_timestamp(stamp: String) throws {
    #expect(try read("\(stamp) > 010C\n", as: .appLog).events.isEmpty)
  }

  @Test func several_midnights_are_counted() throws {
    let log = ["23:00:00", "01:00:00", "23:30:00", "00:30:00"].map { "\($0) > 010C\n" }.joined()
    let commands = try read(log, as: .appLog).events.filter { $0.direction == .toAdapter }
    #expect(commands.map(\.time) == [0, 7200, 88_200, 91_800].map { .after($0) })
  }
}
