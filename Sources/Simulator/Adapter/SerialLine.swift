/// The wire between host and adapter, both ways: a byte takes 10 bits, and what a USB bridge has collected reaches the
/// host in one piece when its buffer is full or its timer runs out.
struct SerialLine: Sendable {
  /// One byte and when it is there.
  struct TimedByte: Sendable {
    var time: Duration
    var byte: UInt8
    /// The rate that it was sent at.
    var baud: Int
  }

  /// Bits a second.
  var baud: Int
  /// How long the bridge waits for more (FTDI's latency timer).
  var chunkTime: Duration
  /// How much it sends at once.
  var chunkSize: Int

  /// On its way from the host, in order.
  private(set) var arriving = Queue<TimedByte>()
  /// On its way to the host; the time is when it has left the adapter.
  private(set) var leaving = Queue<TimedByte>()
  private var lastArrival = Duration.zero
  private var lastDeparture = Duration.zero

  init(baud: Int, chunkTime: Duration, chunkSize: Int) {
    self.baud = baud
    self.chunkTime = chunkTime
    self.chunkSize = chunkSize
  }

  /// 10 bits.
  var byteTime: Duration { .nanoseconds(10_000_000_000 / baud) }

  mutating func send(toAdapter byte: UInt8, at time: Duration) {
    lastArrival = max(lastArrival, time) + byteTime
    arriving.append(TimedByte(time: lastArrival, byte: byte, baud: baud))
  }

  mutating func takeArrival() -> TimedByte? { arriving.removeFirst() }

  /// - Parameter pace: between bytes where it is slower than the baud rate.
  mutating func send(toHost byte: UInt8, at time: Duration, pace: Duration? = nil) {
    lastDeparture = max(lastDeparture, time) + max(byteTime, pace ?? .zero)
    leaving.append(TimedByte(time: lastDeparture, byte: byte, baud: baud))
  }

  /// When the last byte has left.
  var drained: Duration { lastDeparture }

  /// Bytes that wait in the adapter.
  func backlog(at time: Duration) -> Int {
    var waiting = 0
    for index in leaving.indices.reversed() where leaving[index].time > time { waiting += 1 }
    return waiting
  }

  /// When the next piece reaches the host.
  var nextDelivery: Duration? {
    guard let first = leaving.first else { return nil }
    let timer = first.time + chunkTime
    guard leaving.count >= chunkSize else { return timer }
    return min(timer, leaving[leaving.indices.lowerBound + chunkSize - 1].time)
  }

  /// The piece that reaches the host by `time`, or none.
  mutating func deliver(at time: Duration) -> [TimedByte] {
    guard let due = nextDelivery, due <= time else { return [] }
    var piece: [TimedByte] = []
    while piece.count < chunkSize, let next = leaving.first, next.time <= due {
      piece.append(next)
      _ = leaving.removeFirst()
    }
    return piece
  }

  /// What has not left yet is lost.
  mutating func cutOff(at time: Duration) {
    leaving.removeAll { $0.time > time }
    lastDeparture = min(lastDeparture, time)
  }

  /// What waits leaves as fast as the wire allows, whatever pace it was given.
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

  /// Both ways are empty.
  mutating func clear() {
    leaving.removeAll { _ in true }
    arriving.removeAll { _ in true }
  }
}

/// First in, first out.
struct Queue<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  private var head = 0

  var first: Element? { head < elements.count ? elements[head] : nil }
  var count: Int { elements.count - head }
  var indices: Range<Int> { head..<elements.count }
  subscript(_ index: Int) -> Element { elements[index] }

  mutating func append(_ element: Element) { elements.append(element) }

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

  mutating func change(_ body: (inout Element) -> Void) {
    for index in indices { body(&elements[index]) }
  }

  mutating func removeAll(where isGone: (Element) -> Bool) {
    elements.removeFirst(head)
    head = 0
    elements.removeAll(where: isGone)
  }
}
