import Foundation
import Ports
import Telemetry
import Testing

@testable import Gateway
@testable import GatewayOutput

@Suite struct FollowersTests {
  private static let moment = Followers.Moment(
    time: .elapsed(nanoseconds: 0), epoch: UUIDv7(milliseconds: 0, first: 1, rest: 2))

  private func followers() throws -> Followers {
    Followers(wakeUp: try WakeUp(), gatewayId: "gw-test", vehicleId: nil, seed: 1)
  }

  private func line(_ number: Int, padding: Int = 0) -> [UInt8] {
    Array(#"{"seq":\#(number),"padding":"\#(String(repeating: "x", count: padding))"}"#.utf8) + [0x0A]
  }

  private func publish(_ numbers: ClosedRange<Int>, padding: Int = 0, to followers: Followers) {
    for number in numbers { followers.publish(line(number, padding: padding).span, sequence: UInt64(number)) }
    followers.flush(Self.moment)
  }

  /// Returns all records that wait for a follower.
  private func records(_ follower: Follower) -> [[String: Any]] {
    var buffer = [UInt8](repeating: 0, count: Follower.room)
    var records: [[String: Any]] = []
    while true {
      let count = follower.copy(into: &buffer)
      guard count > 0 else { return records }
      for line in buffer[..<count].split(separator: 0x0A) {
        records.append((try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]) ?? [:])
      }
    }
  }

  private func numbers(_ follower: Follower) -> [Int] { records(follower).compactMap { $0["seq"] as? Int } }

  @Test func each_of_a_thousand_followers_gets_every_record_since_its_start() throws {
    let followers = try followers()
    let first = (0..<1_000).map { _ in followers.add() }
    publish(1...20, to: followers)
    let late = followers.add()
    publish(21...30, to: followers)
    for follower in first { #expect(numbers(follower) == Array(1...30)) }
    #expect(numbers(late) == Array(21...30))
    followers.forgetTaken()
    publish(31...31, to: followers)
    #expect(numbers(first[999]) == [31])
  }

  @Test func a_slow_follower_is_told_which_records_it_missed_and_others_miss_none() throws {
    let followers = try followers()
    let (slow, quick) = (followers.add(), followers.add())
    var seen: [Int] = []
    // Three times the capacity, 10 KiB each.
    for number in 1...300 {
      publish(number...number, padding: 10_000, to: followers)
      seen += numbers(quick)
    }
    #expect(seen == Array(1...300))
    let told = records(slow)
    let gap = try #require(told.first)
    #expect(gap["type"] as? String == "gap" && gap["sink"] as? String == "tail")
    let last = try #require(gap["toSeq"] as? Int)
    #expect(gap["fromSeq"] as? Int == 1 && gap["count"] as? Int == last)
    #expect(told.dropFirst().compactMap { $0["seq"] as? Int } == Array(last + 1...300))
    publish(301...301, to: followers)
    #expect(numbers(slow) == [301], "it is reported once")
  }

  @Test func records_that_all_followers_have_read_are_released() throws {
    let followers = try followers()
    let follower = followers.add()
    // Far more than the capacity.
    for number in 1...50_000 {
      publish(number...number, padding: 100, to: followers)
      #expect(numbers(follower) == [number])
      followers.forgetTaken()
    }
  }

  @Test func the_buffer_is_cleared_with_the_last_follower() throws {
    let followers = try followers()
    let (one, two) = (followers.add(), followers.add())
    publish(1...3, to: followers)
    one.leave()
    #expect(!followers.isEmpty)
    #expect(numbers(one) == [] && numbers(two) == [1, 2, 3])
    two.leave()
    two.leave()
    #expect(followers.isEmpty)
    publish(4...5, to: followers)
    let next = followers.add()
    publish(6...6, to: followers)
    #expect(numbers(next) == [6])
  }
}
