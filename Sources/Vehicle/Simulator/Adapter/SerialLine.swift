/// The serial connection between host and adapter, in both directions. Each byte is sent as 10 bits. A USB bridge
/// collects the bytes for the host. It sends them when its buffer is full or its timer expires.
struct SerialLine: Sendable {
  /// A byte, and the time at which the byte arrives at the adapter or leaves the adapter.
  struct TimedByte: Sendable {
    var time: Duration
    var byte: UInt8
    /// Baud rate at which the byte was sent.
    var baud: Int
  }

  /// The current baud rate.
  var baud: Int
  /// Maximum time for which the USB bridge collects bytes (FTDI's latency timer).
  var chunkTime: Duration
  /// Number of collected bytes at which the USB bridge sends them without waiting for its timer.
  var chunkSize: Int

  /// Bytes from the host that have not reached the adapter yet, in order.
  private(set) var arriving = Queue<TimedByte>()
  /// Bytes that have not reached the host yet. The time of each is the time at which it leaves the adapter.
  private(set) var leaving = Queue<TimedByte>()
  private var lastArrival = Duration.zero
  private var lastDeparture = Duration.zero

  init(baud: Int, chunkTime: Duration, chunkSize: Int) {
    self.baud = baud
    self.chunkTime = chunkTime
    self.chunkSize = chunkSize
  }

  /// Duration of one byte, which is sent as 10 bits.
  var byteTime: Duration { .nanoseconds(10_000_000_000 / baud) }

  /// Sends a byte to the adapter.
  mutating func send(toAdapter byte: UInt8, at time: Duration) {
    lastArrival = max(lastArrival, time) + byteTime
    arriving.append(TimedByte(time: lastArrival, byte: byte, baud: baud))
  }

  /// Removes and returns the next byte from the host; `nil` if there is none.
  mutating func popArrival() -> TimedByte? { arriving.removeFirst() }

  /// Sends a byte to the host.
  ///
  /// - Parameter pace: minimum time between two bytes; `nil` if only the baud rate limits the speed.
  mutating func send(toHost byte: UInt8, at time: Duration, pace: Duration? = nil) {
    lastDeparture = max(lastDeparture, time) + max(byteTime, pace ?? .zero)
    leaving.append(TimedByte(time: lastDeparture, byte: byte, baud: baud))
  }

  /// Time at which the last byte that was sent to the host leaves the adapter.
  var drained: Duration { lastDeparture }

  /// Number of bytes that have not left the adapter at `time`.
  func backlog(at time: Duration) -> Int {
    var waiting = 0
    for index in leaving.indices.reversed() where leaving[index].time > time { waiting += 1 }
    return waiting
  }

  /// Time at which the next bytes reach the host; `nil` if there are none.
  var nextDelivery: Duration? {
    guard let first = leaving.first else { return nil }
    let timer = first.time + chunkTime
    guard leaving.count >= chunkSize else { return timer }
    return min(timer, leaving[leaving.indices.lowerBound + chunkSize - 1].time)
  }

  /// Removes and returns one piece of the bytes that have reached the host by `time`; empty if there are none. A piece
  /// has at most `chunkSize` bytes.
  mutating func deliver(at time: Duration) -> [TimedByte] {
    guard let due = nextDelivery, due <= time else { return [] }
    var piece: [TimedByte] = []
    while piece.count < chunkSize, let next = leaving.first, next.time <= due {
      piece.append(next)
      _ = leaving.removeFirst()
    }
    return piece
  }

  /// Discards the bytes that have not left the adapter at `time`.
  mutating func cutOff(at time: Duration) {
    leaving.removeAll { $0.time > time }
    lastDeparture = min(lastDeparture, time)
  }

  /// Speeds up the bytes that have not left the adapter: sends them at the full baud rate, even if a slower pace was
  /// requested.
  mutating func catchUp(at time: Duration) {
    var due = time
    let byteTime = byteTime
    leaving.change { byte in
      guard byte.time > time else { return }
      due += byteTime
      byte.time = min(byte.time, due)
    }
    if lastDeparture > time { lastDeparture = min(lastDeparture, due) }
  }

  /// Discards all bytes in both directions.
  mutating func clear() {
    leaving.removeAll { _ in true }
    arriving.removeAll { _ in true }
  }
}

/// A first-in, first-out queue. Removing the first element takes constant time on average.
struct Queue<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  private var head = 0

  var first: Element? { head < elements.count ? elements[head] : nil }
  var count: Int { elements.count - head }
  var indices: Range<Int> { head..<elements.count }
  subscript(_ index: Int) -> Element { elements[index] }

  /// Appends an element at the end.
  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the first element; `nil` if the queue is empty.
  mutating func removeFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      head += 1
      if head == elements.count {
        elements.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 4096 {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }

  /// Calls `body` with every element, which it may change.
  mutating func change(_ body: (inout Element) -> Void) {
    for index in indices { body(&elements[index]) }
  }

  /// Removes the elements for which `isGone` returns `true`.
  mutating func removeAll(where isGone: (Element) -> Bool) {
    elements.removeFirst(head)
    head = 0
    elements.removeAll(where: isGone)
  }
}
