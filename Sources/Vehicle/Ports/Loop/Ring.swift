import Synchronization

/// A queue of fixed size between two threads, for values that can be copied bitwise.
///
///     let ring = Ring<Reading>(capacity: 1_024)
///     var producer = ring.producer          // used by the thread that appends
///     var consumer = ring.consumer          // used by the thread that removes
///
/// Neither thread waits for the other, and neither allocates memory. If the queue is full, a new value is dropped and
/// counted. ``Ring/init(capacity:)`` allocates the storage, which is released when both ends are destroyed.
@frozen
public struct Ring<Element: BitwiseCopyable & Sendable>: ~Copyable {
  /// The end that appends values.
  public var producer: RingProducer<Element>
  /// The end that removes values.
  public var consumer: RingConsumer<Element>

  /// Creates a queue.
  ///
  /// - Parameter capacity: maximum number of values in the queue. It is rounded up to a power of two.
  public init(capacity: Int) {
    let storage = RingStorage<Element>(capacity: capacity)
    producer = RingProducer(storage: storage)
    consumer = RingConsumer(storage: storage)
  }
}

/// The end of a ``Ring`` that appends values. Only one thread may use it.
public struct RingProducer<Element: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  private let storage: RingStorage<Element>

  init(storage: RingStorage<Element>) { self.storage = storage }

  /// Appends a value.
  ///
  /// - Returns: `false` if the ring is full and the value was dropped.
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

  /// Number of values that were dropped since the ring was created, because it was full.
  public var dropped: Int { storage.dropped.load(ordering: .relaxed) }
}

/// The end of a ``Ring`` that removes values. Only one thread may use it.
public struct RingConsumer<Element: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
  private let storage: RingStorage<Element>

  init(storage: RingStorage<Element>) { self.storage = storage }

  /// Removes and returns the oldest value; `nil` if the ring is empty.
  public mutating func pop() -> Element? {
    let head = storage.head.load(ordering: .relaxed)
    guard head != storage.tail.load(ordering: .acquiring) else { return nil }
    let element = storage.read(at: head)
    storage.head.store(head &+ 1, ordering: .releasing)
    return element
  }

  /// Number of values that were dropped since the ring was created, because it was full.
  public var dropped: Int { storage.dropped.load(ordering: .relaxed) }
}

/// The storage that both ends share.
///
/// Only the producer writes elements (at index `tail`), and only the consumer reads them (from `head` to before
/// `tail`). Each end stores its own index with release ordering and loads the other's with acquire ordering. Therefore,
/// the two never access the same element at the same time.
@safe
final class RingStorage<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  let capacity: Int
  /// Index of the next element to read. It only increases.
  let head = Atomic<Int>(0)
  /// Index of the next element to write. It only increases.
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
