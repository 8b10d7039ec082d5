import Testing

@testable import Sinks

@Suite struct PublishWindowTests {
  private func messages(_ count: Int, records: Int = 1) -> [BrokerMessage] {
    (0..<count).map { number in
      BrokerMessage(topic: "t/\(number)", records: Array(number * records..<(number + 1) * records), bytes: 1)
    }
  }

  @Test func messages_in_flight_do_not_exceed_the_brokers_limit() {
    var window = PublishWindow(messages(5), size: 2)
    window.published(as: 1)
    #expect(window.next() != nil)
    window.published(as: 2)
    #expect(window.next() == nil)
    #expect(window.acknowledged(1, reason: 0) == .delivered([0]))
    #expect(window.next()?.topic == "t/2")
  }

  @Test func acknowledgements_may_come_in_any_order_and_count_once() {
    var window = PublishWindow(messages(2, records: 3), size: 20)
    window.published(as: 7)
    window.published(as: 8)
    #expect(window.acknowledged(8, reason: 16) == .delivered([3, 4, 5]))
    #expect(window.acknowledged(8, reason: 0) == .unknown)
    #expect(!window.isDone)
    #expect(window.acknowledged(7, reason: 0) == .delivered([0, 1, 2]))
    #expect(window.isDone)
  }

  @Test func a_message_without_subscribers_is_delivered_unless_one_is_required() {
    for needsSubscriber in [false, true] {
      var window = PublishWindow(messages(1, records: 3), size: 1, needsSubscriber: needsSubscriber)
      window.published(as: 1)
      #expect(window.acknowledged(1, reason: 16) == (needsSubscriber ? .stop(reason: 16) : .delivered([0, 1, 2])))
    }
  }

  @Test func a_message_that_is_refused_for_good_is_divided_and_one_record_is_at_fault() {
    var window = PublishWindow(messages(1, records: 3), size: 1)
    window.published(as: 1)
    #expect(window.acknowledged(1, reason: 0x99) == .divided)
    var (delivered, refused): ([Int], [Int]) = ([], [])
    var number = 1
    while let message = window.next() {
      number += 1
      window.published(as: number)
      switch window.acknowledged(number, reason: message.records == [1] ? 0x99 : 0) {
      case .delivered(let records): delivered += records
      case .refused(let record, _): refused.append(record)
      default: Issue.record("neither")
      }
    }
    #expect(delivered == [0, 2])
    #expect(refused == [1])
    #expect(window.isDone)
  }

  @Test func a_broker_that_accepts_no_messages_stops_publishing() {
    var window = PublishWindow(messages(1), size: 1)
    window.published(as: 1)
    #expect(window.acknowledged(1, reason: 0x97) == .stop(reason: 0x97))
  }
}
