/// The serial connection between host and adapter, in both directions. A byte takes 10 bits. A USB bridge collects
/// bytes for the host and sends them when its buffer is full or its timer expires.
struct SerialLine: Sendable {
  /// A byte, and the time at which it was sent or arrives.
  struct TimedByte: Sendable {
    var time: Duration
    var byte: UInt8
    /// Baud rate at which the byte was sent.
    var baud: Int
  }

  /// The current baud rate.
  var baud: Int
  /// Maximum time for which the bridge collects bytes (FTDI's latency timer).
  var chunkTime: Duration
  /// Number of collected bytes at which the bridge sends at once.
  var chunkSize: Int

  /// Bytes from the host that have not reached the adapter yet, in order.
  private(set) var arriving = Queue<TimedByte>()
  /// Bytes that have not reached the host yet. Their times are those at which they leave the adapter.
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
  mutating func takeArrival() -> TimedByte? { arriving.removeFirst() }

  /// Sends a byte to the host.
  ///
  /// - Parameter pace: time between two bytes if they are sent more slowly than the baud rate allows; otherwise `nil`.
  mutating func send(toHost byte: UInt8, at time: Duration, pace: Duration? = nil) {
    lastDeparture = max(lastDeparture, time) + max(byteTime, pace ?? .zero)
    leaving.append(TimedByte(time: lastDeparture, byte: byte, baud: baud))
  }

  /// Time at which the last byte leaves the adapter.
  var drained: Duration { lastDeparture }

  /// Number of bytes that are still in the adapter.
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

  /// Removes and returns the bytes that have reached the host by `time`; empty if there are none.
  mutating func deliver(at time: Duration) -> [TimedByte] {
    guard let due = nextDelivery, due <= time else { return [] }
    var piece: [TimedByte] = []
    while piece.count < chunkSize, let next = leaving.first, next.time <= due {
      piece.append(next)
      _ = leaving.removeFirst()
    }
    return piece
  }

  /// Discards the bytes that have not left the adapter yet.
  mutating func cutOff(at time: Duration) {
    leaving.removeAll { $0.time > time }
    lastDeparture = min(lastDeparture, time)
  }

  /// Sends the remaining bytes at the full baud rate, even if they were to be sent more slowly.
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

/// A first-in, first-out queue.
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

  /// Changes every element.
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
