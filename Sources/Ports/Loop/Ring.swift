import Synchronization

/// A queue of fixed size between two threads, for values that can be copied byte by byte.
///
///     let ring = Ring<Reading>(capacity: 1_024)
///     var producer = ring.producer          // goes to the one thread that puts in
///     var consumer = ring.consumer          // goes to the one that takes out
///
/// Neither ever waits for the other, and neither takes anything from the heap: where the queue is full, a value is
/// dropped and counted. It is made by ``Ring/init(capacity:)`` and lives as long as one of its ends does.
@frozen
public struct Ring<Element: BitwiseCopyable & Sendable>: ~Copyable {
  public var producer: RingProducer<Element>
  public var consumer: RingConsumer<Element>

  /// - Parameter capacity: how many values it holds at least; rounded up to a power of two.
  public init(capacity: Int) {
    let storage = RingStorage<Element>(capacity: capacity)
    producer = RingProducer(storage: storage)
    consumer = RingConsumer(storage: storage)
  }
}

/// The end of a ``Ring`` that values go in at; one thread has it.
public struct RingProducer<Element: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  private let storage: RingStorage<Element>

  init(storage: RingStorage<Element>) { self.storage = storage }

  /// Puts a value in; false where the ring is full and it was dropped.
  @discardableResult
  public mutating func put(_ element: Element) -> Bool {
    let tail = storage.tail.load(ordering: .relaxed)
    guard tail &- storage.head.load(ordering: .acquiring) < storage.capacity else {
      storage.dropped.add(1, ordering: .relaxed)
      return false
    }
    storage.write(element, at: tail)
    storage.tail.store(tail &+ 1, ordering: .releasing)
    return true
  }

  /// Values dropped since the ring was made.
  public var dropped: Int { storage.dropped.load(ordering: .relaxed) }
}

/// The end of a ``Ring`` that values come out at; one thread has it.
public struct RingConsumer<Element: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  private let storage: RingStorage<Element>

  init(storage: RingStorage<Element>) { self.storage = storage }

  /// Takes the oldest value out; nil where there is none.
  public mutating func take() -> Element? {
    let head = storage.head.load(ordering: .relaxed)
    guard head != storage.tail.load(ordering: .acquiring) else { return nil }
    let element = storage.read(at: head)
    storage.head.store(head &+ 1, ordering: .releasing)
    return element
  }

  /// Values dropped since the ring was made.
  public var dropped: Int { storage.dropped.load(ordering: .relaxed) }
}

/// What both ends share. The producer alone writes places from `tail` on, the consumer alone reads those from `head` to
/// `tail`; the releasing store of one and the acquiring load of the other order the two.
@safe
final class RingStorage<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  let capacity: Int
  /// The next place to read, and the next to write; they count on for ever.
  let head = Atomic<Int>(0)
  let tail = Atomic<Int>(0)
  let dropped = Atomic<Int>(0)
  private let places: UnsafeMutablePointer<Element>

  init(capacity wanted: Int) {
    var capacity = 1
    while capacity < wanted { capacity *= 2 }
    self.capacity = capacity
    unsafe places = .allocate(capacity: capacity)
  }

  deinit { unsafe places.deallocate() }

  func write(_ element: Element, at place: Int) {
    unsafe (places + (place & (capacity - 1))).initialize(to: element)
  }

  func read(at place: Int) -> Element { unsafe places[place & (capacity - 1)] }
}
