import Testing

@testable import Ports

@Suite struct ByteQueueTests {
  private static func moved(_ count: Int, _ queue: inout ByteQueue) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    var span = buffer.mutableSpan
    let taken = queue.move(into: &span)
    return Array(buffer[..<taken])
  }

  @Test func a_byte_queue_preserves_bytes_across_its_end() {
    var queue = ByteQueue(capacity: 10)
    var next: UInt8 = 0
    var expected: UInt8 = 0
    for round in 0..<200 {
      let bytes = (0..<(round % 7)).map { next &+ UInt8($0) }
      if queue.put(bytes.span) { next &+= UInt8(bytes.count) }
      for byte in Self.moved(round % 5, &queue) {
        #expect(byte == expected)
        expected &+= 1
      }
    }
    let left = queue.count
    #expect(left == Int(next &- expected))
  }

  @Test func bytes_that_do_not_fit_the_queue_are_rejected_completely() {
    var queue = ByteQueue(capacity: 4)
    let fits = queue.put([1, 2, 3].span)
    let fitsToo = queue.put([4, 5].span)
    #expect(fits && !fitsToo)
    let room = queue.room
    #expect(room == 1)
    #expect(Self.moved(9, &queue) == [1, 2, 3])
  }
}
