import FleetDomain
import Testing

@Suite struct FairQueueTests {
  private func queue() -> FairQueue<String, String, String> { FairQueue { _ in 1 } }

  @Test func elements_of_one_member_stay_in_their_order() {
    var queue = queue()
    for number in 1...5 { queue.add("\(number)", group: "a", member: "x") }
    #expect((1...6).map { _ in queue.next() } == ["1", "2", "3", "4", "5", nil])
  }

  @Test func groups_take_turns_and_so_do_the_members_of_each() {
    var queue = queue()
    for number in 1...4 { queue.add("ax\(number)", group: "a", member: "x") }
    queue.add("ay1", group: "a", member: "y")
    queue.add("b1", group: "b", member: "z")
    #expect((1...6).map { _ in queue.next() } == ["ax1", "b1", "ay1", "ax2", "ax3", "ax4"])
    #expect(queue.isEmpty)
  }

  @Test func a_group_with_large_elements_has_fewer_turns() {
    var queue = FairQueue<String, String, Int> { $0 }
    for _ in 1...3 { queue.add(100, group: "large", member: "") }
    for _ in 1...5 { queue.add(30, group: "small", member: "") }
    #expect((1...8).map { _ in queue.next() } == [100, 30, 30, 30, 30, 100, 30, 100])
  }

  @Test func a_group_that_joins_late_gets_no_additional_turns() {
    var queue = queue()
    for number in 1...4 { queue.add("a\(number)", group: "a", member: "") }
    #expect([queue.next(), queue.next(), queue.next()] == ["a1", "a2", "a3"])
    for number in 1...3 { queue.add("b\(number)", group: "b", member: "") }
    queue.add("a5", group: "a", member: "")
    #expect((1...5).map { _ in queue.next() } == ["b1", "a4", "b2", "b3", "a5"])
  }

  @Test func an_element_that_is_not_taken_remains_the_next_one() {
    var queue = queue()
    queue.add("a1", group: "a", member: "")
    #expect(queue.next(if: { _ in false }) == nil)
    #expect(queue.next(in: { $0 != "a" }) == nil)
    #expect(queue.count == 1 && queue.next() == "a1")
  }

  @Test func a_removed_element_is_not_taken_and_the_others_keep_their_order() {
    var queue = queue()
    let numbers = (1...5).map { queue.add("\($0)", group: "a", member: "x") }
    #expect(queue.remove(numbers[0], group: "a", member: "x") == "1")
    #expect(queue.remove(numbers[2], group: "a", member: "x") == "3")
    #expect(queue.remove(numbers[2], group: "a", member: "x") == nil)
    #expect(queue.count == 3 && queue.waitingCost == 3)
    #expect((1...4).map { _ in queue.next() } == ["2", "4", "5", nil])
    #expect(queue.remove(numbers[4], group: "a", member: "x") == nil)
    let last = queue.add("6", group: "b", member: "y")
    #expect(queue.remove(last, group: "b", member: "y") == "6")
    #expect(queue.isEmpty && queue.next() == nil)
  }

  /// If each removal moved all other elements, 200,000 elements would take minutes.
  @Test(.timeLimit(.minutes(1))) func taking_an_element_costs_the_same_however_many_wait() {
    var queue = FairQueue<Int, Int, Int> { _ in 1 }
    let count = 200_000
    for number in 0..<count { queue.add(number, group: 0, member: 0) }
    var taken = 0
    while let next = queue.next() {
      guard next == taken else { break }
      taken += 1
    }
    #expect(taken == count)
  }

  @Test func all_elements_come_out_in_the_order_in_which_they_came() {
    var queue = queue()
    queue.add("1", group: "b", member: "x")
    queue.add("2", group: "a", member: "x")
    queue.add("3", group: "b", member: "y")
    #expect(queue.removeAll() == ["1", "2", "3"])
    #expect(queue.isEmpty && queue.waitingCost == 0 && queue.next() == nil)
  }
}
