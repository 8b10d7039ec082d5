/// What each ECU has said in the reply being read: one reassembly for each sender, so that interleaved answers never
/// mix (ISO 15765-2 names no message but by its sender).
///
/// Eight senders at once, as ISO 15765-4 reserves eight response addresses; a ninth slot serves lines without headers.
struct ECUTable: ~Copyable {
  static let senders = 8
  /// The slot of lines without headers.
  static let unknown = 8
  /// The longest message that 12 bits of length announce, rounded up.
  static let messageCapacity = 4096

  var slots = InlineArray<9, ECUSlot>(repeating: ECUSlot())
  private var storage = InlineArray<36864, UInt8>(repeating: 0)
  /// Slot of the address asked for last: replies are mostly one ECU's.
  private var latest = 0

  /// The slot of an address, made ready for the reply; nil where eight others have answered in it already.
  @inline(__always)
  mutating func slot(for address: ECUAddress, reply: UInt32) -> Int? {
    // Replies are mostly one ECU's; its first frame in a reply finds the slot to be made ready.
    let index = latest
    if slots[index].address == address, address != .unknown {
      if slots[index].reply != reply { slots[index].begin(reply) }
      return index
    }
    return otherSlot(for: address, reply: reply)
  }

  @inline(never)
  private mutating func otherSlot(for address: ECUAddress, reply: UInt32) -> Int? {
    var index = Self.unknown
    if address != .unknown {
      guard let found = find(address, reply: reply) else { return nil }
      index = found
    }
    latest = index
    if slots[index].reply != reply { slots[index].begin(reply) }
    return index
  }

  private mutating func find(_ address: ECUAddress, reply: UInt32) -> Int? {
    var free: Int?
    for i in 0..<Self.senders {
      if slots[i].address == address { return i }
      // A slot that says nothing in this reply may pass to another sender; an unused one is taken first.
      if slots[i].address == .unknown {
        if free == nil || slots[free!].address != .unknown { free = i }
      } else if slots[i].reply != reply, free == nil {
        free = i
      }
    }
    guard let free else { return nil }
    slots[free] = ECUSlot()
    slots[free].address = address
    return free
  }

  /// Appends bytes of a source to the message under way in a slot; the caller has checked that they fit.
  @inline(__always)
  mutating func append(_ source: Span<UInt8>, from first: Int, count: Int, to slot: Int) {
    let base = slot * Self.messageCapacity + slots[slot].received
    for i in 0..<count { storage[base + i] = source[first + i] }
    slots[slot].received += count
  }

  /// The bytes gathered in a slot.
  @_lifetime(&self)
  mutating func bytes(of slot: Int) -> Span<UInt8> {
    let base = slot * Self.messageCapacity
    return storage.span.extracting(base..<base + slots[slot].received)
  }
}

/// One sender's state within a reply.
struct ECUSlot: BitwiseCopyable {
  enum Phase: UInt8, BitwiseCopyable {
    /// No message of several frames under way.
    case idle
    /// First frame read, consecutive frames to come.
    case assembling
    /// A frame broke the message; what follows of it is dropped, its error was given.
    case broken
    /// Legacy lines of one answer are being gathered; the prompt completes them.
    case gathering
  }

  var address: ECUAddress = .unknown
  /// Number of the reply this state belongs to.
  var reply: UInt32 = 0
  var phase: Phase = .idle
  /// The first frame was a byte short. Either it lost one, or a logger cut the message into frames of its own making:
  /// then the last frame ends exactly with the message, which no padded and no damaged transmission does.
  var isShort = false
  /// Announced length of the message under way.
  var length = 0
  var received = 0
  /// Sequence number of the next consecutive frame, segment or legacy message.
  var nextIndex: UInt8 = 0
  /// Response service and identifier of the legacy lines being gathered.
  var gatheredService: UInt8 = 0
  var gatheredIdentifier: UInt8 = 0
  /// The last whole single-frame message, for identical duplicates: up to eight bytes and their number.
  var lastSingle: UInt64 = 0
  var lastSingleCount: UInt8 = 0
  /// Response pending (7F xx 78) was read and nothing final since.
  var pendingService: UInt8 = 0
  var isPending = false
  /// The last line of a message under way, kept for the error that only the prompt reveals.
  var origin = Origin(ecu: .unknown, line: 0, position: 0)
  var line = InlineArray<48, UInt8>(repeating: 0)
  var lineCount = 0

  /// Forgets the reply before.
  @inline(__always)
  mutating func begin(_ reply: UInt32) {
    self.reply = reply
    phase = .idle
    received = 0
    lastSingleCount = 0
    isPending = false
  }

  mutating func keep(_ text: Span<UInt8>, origin: Origin) {
    self.origin = origin
    lineCount = min(text.count, 48)
    for i in 0..<lineCount { line[i] = text[i] }
  }
}
