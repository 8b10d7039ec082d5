/// The messages of all ECUs in the current reply, reassembled separately for each sender, so that interleaved answers
/// do not mix (ISO 15765-2 identifies a message only by its sender).
///
/// The table supports eight senders at the same time, because ISO 15765-4 reserves eight response addresses. A ninth
/// slot is for text lines without headers.
struct ECUTable: ~Copyable {
  static let senders = 8
  /// The slot of text lines without headers.
  static let unknown = 8
  /// The greatest message length, which has 12 bits, rounded up.
  static let messageCapacity = 4096

  var slots = InlineArray<9, ECUSlot>(repeating: ECUSlot())
  /// Distance between messages: there is room for a whole word after each.
  private static let stride = 4104
  private var storage = InlineArray<36936, UInt8>(repeating: 0)
  /// Slot of the last address. Most replies come from one ECU.
  private var latest = 0

  /// Returns the slot of an address and prepares it for a reply; `nil` if eight other senders have used all slots in
  /// this reply.
  @inline(__always)
  mutating func slot(for address: ECUAddress, reply: UInt32) -> Int? {
    // Most replies come from one ECU. Its first frame in a reply prepares the slot.
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
      // A slot that is not used in this reply may change its sender. An unused slot is preferred.
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

  /// Appends bytes to the message in a slot. The caller checks that they fit.
  @inline(__always)
  mutating func append(_ source: Span<UInt8>, from first: Int, count: Int, to slot: Int) {
    storage.copy(source, from: first, count: count, to: slot &* Self.stride &+ slots[slot].received)
    slots[slot].received &+= count
  }

  /// Returns the bytes of the message in a slot.
  @_lifetime(&self)
  mutating func bytes(of slot: Int) -> Span<UInt8> {
    let base = slot * Self.stride
    return storage.span.extracting(base..<base + slots[slot].received)
  }
}

/// The state of one sender in a reply.
struct ECUSlot: BitwiseCopyable {
  enum Phase: UInt8, BitwiseCopyable {
    /// No multi-frame message is incomplete.
    case idle
    /// The first frame arrived, and consecutive frames must follow.
    case assembling
    /// A frame was wrong, and its error was reported. The rest of the message is ignored.
    case broken
    /// Legacy lines of one answer are being collected. The prompt completes them.
    case gathering
  }

  var address: ECUAddress = .unknown
  /// Number of the reply to which the state belongs.
  var reply: UInt32 = 0
  var phase: Phase = .idle
  /// Whether the first frame was a byte short. Either a byte was lost, or a logger split the message into frames of its
  /// own size. In the latter case, the last frame ends exactly with the message, which no padded or damaged
  /// transmission does.
  var isShort = false
  /// Announced length of the current message.
  var length = 0
  var received = 0
  /// Expected index of the next consecutive frame, segment or legacy line.
  var nextIndex: UInt8 = 0
  /// Response service and identifier of the collected legacy lines.
  var gatheredService: UInt8 = 0
  var gatheredIdentifier: UInt8 = 0
  /// The last complete single-frame message of up to eight bytes, and its length, for detecting duplicates.
  var lastSingle: UInt64 = 0
  var lastSingleCount: UInt8 = 0
  /// Whether the ECU sent "response pending" (7F xx 78) and no final answer since, and the service.
  var pendingService: UInt8 = 0
  var isPending = false
  /// The last text line of an incomplete message, for the error that the prompt causes.
  var origin = Origin(ecu: .unknown, line: 0, position: 0)
  var line = InlineArray<48, UInt8>(repeating: 0)
  var lineCount = 0

  /// Resets the state for a new reply.
  @inline(__always)
  mutating func begin(_ reply: UInt32) {
    self.reply = reply
    phase = .idle
    received = 0
    lastSingleCount = 0
    isPending = false
  }

  /// Stores the text line for the error that the prompt causes if the message remains incomplete.
  mutating func store(_ context: LineContext) {
    origin = context.origin
    lineCount = min(context.line.count, 48)
    line.copy(context.line, from: 0, count: lineCount)
  }
}
