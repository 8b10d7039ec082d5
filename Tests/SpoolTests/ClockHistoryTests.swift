import Telemetry
import Testing

@testable import Spool

@Suite final class ClockHistoryTests {
  private var book = ClockHistory()
  private let ntp = WallTime(offset: SpoolLines.day, quality: .ntp)

  private func learn(_ wall: WallTime, boot: Int64, at now: Int64) -> Bool { book.learn(wall, boot: boot, at: now) }

  @Test func a_boot_without_a_clock_has_no_date() { #expect(book.wall(boot: 1, time: 5) == .unknown) }

  @Test func a_date_learned_later_applies_to_earlier_records() {
    #expect(learn(ntp, boot: 1, at: 100))
    #expect(book.wall(boot: 1, time: 5) == ntp)
    #expect(book.wall(boot: 2, time: 5) == .unknown)
  }

  @Test func ntp_corrects_what_the_machines_own_clock_said() {
    _ = book.learn(WallTime(offset: 77, quality: .system), boot: 1, at: 1)
    #expect(learn(ntp, boot: 1, at: 100))
    #expect(book.wall(boot: 1, time: 5) == ntp)
  }

  @Test func a_clock_without_its_source_continues() {
    _ = book.learn(ntp, boot: 1, at: 1)
    #expect(!learn(WallTime(offset: SpoolLines.day + 1_000, quality: .system), boot: 1, at: 100))
    #expect(!learn(.unknown, boot: 1, at: 100))
    #expect(book.wall(boot: 1, time: 200) == ntp)
  }

  @Test func a_step_of_a_kept_clock_leaves_earlier_records_as_they_were() {
    _ = book.learn(ntp, boot: 1, at: 1)
    let stepped = WallTime(offset: SpoolLines.day + SpoolLines.second, quality: .ntp)
    #expect(learn(stepped, boot: 1, at: 100))
    #expect(book.wall(boot: 1, time: 99) == ntp)
    #expect(book.wall(boot: 1, time: 100) == stepped)
  }

  @Test func only_the_last_steps_of_a_stepping_clock_are_kept() {
    for step in 1...10_000 {
      #expect(learn(WallTime(offset: Int64(step) * SpoolLines.second, quality: .gps), boot: 1, at: Int64(step)))
    }
    #expect(book.entries[1]?.count == ClockHistory.mostEntries)
    #expect(book.wall(boot: 1, time: 9_999).offset == 9_999 * SpoolLines.second)
    #expect(book.wall(boot: 1, time: 1).offset == Int64(10_001 - ClockHistory.mostEntries) * SpoolLines.second)
  }

  @Test func a_second_reading_of_the_same_time_replaces_the_first() {
    _ = book.learn(ntp, boot: 1, at: 1)
    let stepped = WallTime(offset: SpoolLines.day + SpoolLines.second, quality: .ntp)
    let corrected = WallTime(offset: SpoolLines.day + 2 * SpoolLines.second, quality: .ntp)
    #expect(learn(stepped, boot: 1, at: 100))
    #expect(learn(corrected, boot: 1, at: 100))
    #expect(book.entries[1]?.map(\.wall) == [ntp, corrected])
  }

  @Test func two_readings_of_the_same_clock_are_nothing_new() {
    _ = book.learn(ntp, boot: 1, at: 1)
    #expect(!learn(WallTime(offset: SpoolLines.day + 2_000, quality: .ntp), boot: 1, at: 100))
  }
}
