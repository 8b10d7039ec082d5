/// The messages of all ECUs in the current reply. Each sender has a slot, in which its message is reassembled, so that
/// interleaved answers do not mix (ISO 15765-2 identifies a message only by its sender).
///
/// There are eight slots, because ISO 15765-4 reserves eight response addresses. A ninth slot is for text lines without
/// headers.
struct ECUTable: ~Copyable {
  static let senders = 8
  /// Index of the slot for text lines without headers.
  static let unknown = 8
  /// Space for one message, bytes. A message has at most 4,095 bytes, because its length has 12 bits.
  static let messageCapacity = 4096

  var slots = InlineArray<9, ECUSlot>(repeating: ECUSlot())
  /// Number of bytes from the start of one message to the start of the next. After each message, there is room to write
  /// a whole word.
  private static let stride = 4104
  private var storage = InlineArray<36936, UInt8>(repeating: 0)
  /// Slot of the address that was looked up last. It is tried first, because most replies come from a single ECU.
  private var latest = 0

  /// Returns the slot of an address, and prepares it for a reply. Returns `nil` if all slots are taken by eight other
  /// senders of this reply.
  @inline(__always)
  mutating func slot(for address: ECUAddress, reply: UInt32) -> Int? {
    // Most replies come from a single ECU, so try its slot first. Its first frame in a reply prepares the slot.
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
      // A slot that is not used in this reply can be given to another sender. A slot that was never used is preferred.
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

  /// Appends bytes to the message in a slot. The caller must have checked that there is room for them.
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

/// The state of one sender's message in a reply.
struct ECUSlot: BitwiseCopyable {
  enum Phase: UInt8, BitwiseCopyable {
    /// No message of several frames is in progress.
    case idle
    /// The first frame has arrived, and consecutive frames must follow.
    case assembling
    /// A frame was wrong, and its error was reported. The rest of the message is ignored.
    case broken
    /// The text lines of one answer on a bus older than CAN are being collected. The answer is complete when the prompt
    /// arrives.
    case gathering
  }

  var address: ECUAddress = .unknown
  /// Number of the reply to which this state belongs.
  var reply: UInt32 = 0
  var phase: Phase = .idle
  /// Whether the first frame was one byte too short. Either a byte was lost, or a logger divided the message into
  /// shorter frames. The last frame shows which: in the second case, it ends exactly where the message ends, without
  /// padding.
  var isShort = false
  /// The length of the message as its first frame announced it, bytes.
  var length = 0
  var received = 0
  /// The index that the next consecutive frame, segment or collected text line must have.
  var nextIndex: UInt8 = 0
  /// Service of the answer whose text lines are being collected.
  var gatheredService: UInt8 = 0
  /// Identifier of the answer whose text lines are being collected; 0 for a list of trouble codes.
  var gatheredIdentifier: UInt8 = 0
  /// The last complete message of at most eight bytes, packed into a number. An equal message after it is a repetition.
  var lastSingle: UInt64 = 0
  /// Length of the message in ``lastSingle``, bytes; 0 if there was none in this reply.
  var lastSingleCount: UInt8 = 0
  /// The service for which the ECU has sent "response pending" (7F xx 78) and no final answer yet; 0 if there is none.
  var pendingService: UInt8 = 0
  var isPending = false
  /// Origin of the last text line of an incomplete message. If the message is still incomplete at the prompt, the error
  /// refers to this line.
  var origin = Origin(ecu: .unknown, line: 0, position: 0)
  var line = InlineArray<48, UInt8>(repeating: 0)
  var lineCount = 0

  /// Resets the state at the beginning of a new reply.
  @inline(__always)
  mutating func begin(_ reply: UInt32) {
    self.reply = reply
    phase = .idle
    received = 0
    lastSingleCount = 0
    isPending = false
  }

  /// Stores the text line to which the error refers if the message is still incomplete at the prompt.
  mutating func store(_ context: LineContext) {
    origin = context.origin
    lineCount = min(context.line.count, 48)
    line.copy(context.line, from: 0, count: lineCount)
  }
}
