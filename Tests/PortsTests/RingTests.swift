import Glibc
import Ports
import Testing

@Suite struct RingTests {
  @Test func values_come_out_in_the_order_they_went_in() {
    var ring = Ring<Int>(capacity: 4)
    var next = 0
    // The ring is filled several times, so that its slots are used again.
    for put in 0..<100 {
      #expect(ring.producer.put(put) == true)
      if put % 3 == 2 {
        while let value = ring.consumer.pop() {
          #expect(value == next)
          next += 1
        }
      }
    }
    while let value = ring.consumer.pop() {
      #expect(value == next)
      next += 1
    }
    #expect(next == 100)
    #expect(ring.consumer.pop() == nil)
  }

  @Test func a_full_ring_drops_the_new_value_and_counts_it() {
    var ring = Ring<Int>(capacity: 3)
    // The capacity is rounded up to four.
    for value in 0..<4 { #expect(ring.producer.put(value) == true) }
    #expect(ring.producer.put(4) == false)
    #expect(ring.producer.put(5) == false)
    #expect(ring.producer.dropped == 2)
    #expect(ring.consumer.dropped == 2)
    #expect(ring.consumer.pop() == 0)
    #expect(ring.producer.put(6) == true)
    for expected in [1, 2, 3, 6] { #expect(ring.consumer.pop() == expected) }
    #expect(ring.consumer.pop() == nil)
  }

  /// A value of two words. The second one is computed from the first one, so that a value that was only half written is
  /// detected.
  private struct Pair: BitwiseCopyable, Sendable {
    var number: UInt64
    var check: UInt64
  }

  @Test func two_threads_lose_only_counted_values() {
    let count: UInt64 = 200_000
    let ring = Ring<Pair>(capacity: 64)
    let producer = Held(ring.producer)
    var consumer = ring.consumer
    let putting = BackgroundWork {
      for number in 1...count { producer.value.put(Pair(number: number, check: ~number)) }
    }
    var taken: UInt64 = 0
    var last: UInt64 = 0
    var isWhole = true
    while true {
      // Check before, because a value could be added between the end and the check of the empty ring.
      let isOver = putting.hasEnded
      guard let pair = consumer.pop() else {
        if isOver { break }
        continue
      }
      taken += 1
      isWhole = isWhole && pair.check == ~pair.number && pair.number > last
      last = pair.number
    }
    #expect(isWhole)
    #expect(taken + UInt64(consumer.dropped) == count)
    #expect(taken >= 64)
  }
}
