import Testing

@testable import Gateway
@testable import GatewayOutput

@Suite struct RecordQueueTests {
  private func put(_ texts: [String], into queue: RecordQueue) {
    for text in texts { queue.put(Array((text + "\n").utf8).span) }
  }

  private func popText(_ queue: RecordQueue, room: Int = 1 << 16) -> String? {
    var buffer = [UInt8](repeating: 0, count: room)
    return queue.moveLines(into: &buffer).map { String(decoding: buffer[..<$0], as: UTF8.self) }
  }

  @Test func the_record_queue_keeps_the_order() throws {
    let queue = try RecordQueue()
    put(["a", "b"], into: queue)
    #expect(popText(queue) == "a\nb\n")
    #expect(popText(queue) == "")
    #expect(queue.popLoss() == nil)
  }

  @Test func a_line_is_never_split_however_small_the_room() throws {
    let queue = try RecordQueue()
    put(["first", "second", "third"], into: queue)
    #expect(popText(queue, room: 14) == "first\nsecond\n")
    #expect(popText(queue, room: 14) == "third\n")
  }

  @Test func a_full_queue_drops_the_oldest_records_and_reports_the_exact_loss() throws {
    let queue = try RecordQueue(lines: 4, firstSequence: 10)
    put((10...16).map { "record \($0)" }, into: queue)
    #expect(popText(queue) == "record 13\nrecord 14\nrecord 15\nrecord 16\n")
    #expect(queue.popLoss() == .init(fromSequence: 10, toSequence: 12, count: 3))
    #expect(queue.popLoss() == nil)
    put(["record 17"], into: queue)
    #expect(queue.popLoss() == nil)
  }

  @Test func the_queue_is_also_limited_in_bytes_without_splitting_lines() throws {
    let queue = try RecordQueue(capacity: 1 << 14)
    let texts = (0..<100).map { number in "\(number) " + String(repeating: "x", count: 1_000) }
    put(texts, into: queue)
    let left = (popText(queue) ?? "").split(separator: "\n").map(String.init)
    let loss = try #require(queue.popLoss())
    #expect(loss.fromSequence == 1)
    #expect(left == Array(texts.suffix(left.count)))
    #expect(loss.toSequence == UInt64(100 - left.count) && loss.count == UInt64(100 - left.count))
    #expect(left.count == 16)
  }

  @Test func a_loss_is_reported_when_there_is_room_for_the_report() throws {
    let queue = try RecordQueue(lines: 4)
    put((1...6).map { "record \($0)" }, into: queue)
    #expect(queue.popLoss() == nil, "telling it would cost another record")
    #expect(popText(queue, room: 10) == "record 3\n")
    #expect(queue.popLoss() == .init(fromSequence: 1, toSequence: 2, count: 2))
  }

  @Test func the_last_loss_report_replaces_the_oldest_record() throws {
    let queue = try RecordQueue(lines: 4)
    put((1...6).map { "record \($0)" }, into: queue)
    #expect(queue.popLoss(isLast: true) == .init(fromSequence: 1, toSequence: 3, count: 3))
    put(["gap"], into: queue)
    #expect(queue.popLoss() == nil)
    #expect(popText(queue) == "record 4\nrecord 5\nrecord 6\ngap\n")
  }

  @Test func a_closed_queue_delivers_its_records_before_its_end() throws {
    let queue = try RecordQueue()
    put(["last"], into: queue)
    queue.end()
    #expect(popText(queue) == "last\n")
    #expect(popText(queue) == nil)
  }

  @Test func a_loss_whose_report_is_dropped_is_reported_again() throws {
    let queue = try RecordQueue(lines: 4)
    put((1...6).map { "record \($0)" }, into: queue)
    var buffer = [UInt8](repeating: 0, count: 9)
    #expect(queue.moveLines(into: &buffer) == 9, "room for the record about it")
    #expect(queue.popLoss() == .init(fromSequence: 1, toSequence: 2, count: 2))
    // The gap record is the seventh; four more records displace it.
    put(["gap"] + (8...11).map { "record \($0)" }, into: queue)
    #expect(queue.popLoss(isLast: true) == .init(fromSequence: 1, toSequence: 8, count: 7))
  }
}
