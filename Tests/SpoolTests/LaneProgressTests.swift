import Testing

@testable import Spool

@Suite final class LaneProgressTests {
  private var lane = LaneProgress()

  private func acknowledge(_ range: ClosedRange<UInt64>) -> [UInt64] { lane.acknowledge(range) }

  @Test func the_cursor_follows_acknowledgements_in_order() {
    lane.deliver(1, previous: 0)
    lane.deliver(5, previous: 1)
    #expect(acknowledge(1...1) == [1])
    #expect(lane.cursor == 1)
    #expect(acknowledge(1...9) == [5])
    // 2, 3 and 4 are records of the other lane.
    #expect(lane.cursor == 5)
    #expect(lane.acknowledged.ranges == [0...5])
  }

  @Test func acknowledgements_out_of_order_are_kept_above_the_cursor() {
    lane.deliver(9, previous: 8)
    _ = lane.acknowledge(9...9)
    #expect(lane.cursor == 0)
    #expect(lane.acknowledged.ranges == [0...0, 9...9])
  }

  @Test func only_delivered_records_can_be_acknowledged() {
    lane.deliver(3, previous: 0)
    #expect(acknowledge(4...100) == [])
    #expect(lane.cursor == 0)
    #expect(lane.isTaken(3))
  }

  @Test func returned_records_are_no_longer_in_delivery() {
    for number: UInt64 in 1...4 { lane.deliver(number, previous: number - 1) }
    _ = lane.acknowledge(2...2)
    lane.requeue(1...1)
    #expect([1, 2, 3, 4].filter { lane.isTaken($0) } == [2, 3, 4])
    lane.requeue()
    #expect([1, 2, 3, 4].filter { lane.isTaken($0) } == [2])
  }

  @Test func acknowledged_and_in_flight_ranges_are_skipped_together() {
    for number: UInt64 in 1...3 { lane.deliver(number, previous: number - 1) }
    _ = lane.acknowledge(2...2)
    #expect(lane.taken(behind: 0) == 3)
    #expect(lane.taken(behind: 7) == 7)
  }
}
