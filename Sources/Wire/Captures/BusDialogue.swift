/// Converts CAN frames to the dialogue that an ELM327 with headers and spaces (`ATH1`, `ATS1`) would have shown.
///
///     7DF 02 01 0C 00 00 00 00 00     →  to adapter    010C⏎
///     7E8 04 41 0C 0A A0 00 00 00     →  from adapter  7E8 04 41 0C 0A A0 00 00 00⏎
///     18DAF110 06 41 00 BE 3F A8 13   →  from adapter  18 DA F1 10 06 41 00 BE 3F A8 13⏎
///
/// A request ends the preceding reply: `⏎>` is inserted before the request. A second answer of the same ECU also ends
/// the preceding reply, because the log may not contain the requests. Without this, the answers to a repeated request
/// would look like duplicates in one reply. A negative response "response pending" (0x78) does not count as an answer.
///
/// Flow control frames, multi-frame requests, and frames that are neither requests nor answers are dropped. A frame
/// with an identifier outside ISO 15765-4 counts as a request only if a frame with this identifier + 8 answers it
/// (`7C8` answers `7C0`).
struct BusDialogue {
  /// Time of the last frame as the log states it, ns. Only the reader of candump logs uses it.
  var lastStamp: Int64 = 0
  /// Time from the start of the capture to the last frame, ns. Only the reader of candump logs uses it.
  var elapsed: Int64 = 0
  /// Whether the times of the log count from the previous frame (candump's option `-t d`).
  var hasDeltas = false

  /// Whether a request or an answer was passed to the consumer since the last prompt.
  private var isOpen = false
  private var lastTime = CaptureTime.none
  /// ECUs that answered since the last prompt: one bit for each 11-bit identifier, then one bit for each source address
  /// of a 29-bit identifier.
  private var answered = InlineArray<36, UInt64>(repeating: 0)
  /// One bit for each 11-bit identifier outside ISO 15765-4. A set bit shows that requests have this identifier,
  /// because a frame with it was answered.
  private var proven = InlineArray<32, UInt64>(repeating: 0)
  /// The last frame that may be a request to an identifier outside ISO 15765-4, until an answer confirms it; `nil` if
  /// there is none.
  private var candidate: LoggedFrame?

  /// Converts one frame, or drops it if it is neither a request nor an answer.
  mutating func receive<C: CaptureConsumer & ~Copyable>(
    _ frame: LoggedFrame, at time: CaptureTime, into consumer: inout C
  ) {
    guard let type = frame.frameType else { return }
    if frame.isOBDRequest {
      if let payload = frame.singlePayload { request(frame, payload, at: time, into: &consumer) }
    } else if frame.isOBDResponse {
      response(frame, type, at: time, into: &consumer)
    } else if !frame.isExtended {
      receiveOther(frame, type, at: time, into: &consumer)
    }
    lastTime = time
  }

  /// Ends the last reply.
  mutating func finish<C: CaptureConsumer & ~Copyable>(into consumer: inout C) {
    if isOpen { prompt(at: lastTime, into: &consumer) }
  }

  private mutating func receiveOther<C: CaptureConsumer & ~Copyable>(
    _ frame: LoggedFrame, _ type: UInt8, at time: CaptureTime, into consumer: inout C
  ) {
    let identifier = Int(frame.identifier)
    if identifier >= 8, isProven(identifier - 8) {
      response(frame, type, at: time, into: &consumer)
    } else if isProven(identifier) {
      if let payload = frame.singlePayload { request(frame, payload, at: time, into: &consumer) }
    } else if let asked = candidate, identifier == Int(asked.identifier) + 8, Self.answers(frame, asked) {
      proven[Int(asked.identifier) >> 6] |= 1 << (asked.identifier & 63)
      candidate = nil
      // Pass the request only now, with the time of its answer, so that times do not decrease.
      if let payload = asked.singlePayload { request(asked, payload, at: time, into: &consumer) }
      response(frame, type, at: time, into: &consumer)
    } else if frame.mayBePhysicalRequest {
      candidate = frame
    }
  }

  private func isProven(_ identifier: Int) -> Bool { proven[identifier >> 6] >> UInt64(identifier & 63) & 1 == 1 }

  /// Whether `frame` is the single frame or the first frame of a positive or negative response to the request `asked`.
  private static func answers(_ frame: LoggedFrame, _ asked: LoggedFrame) -> Bool {
    let service: UInt8
    switch frame.frameType {
    case 0?:
      guard let payload = frame.singlePayload else { return false }
      if frame[1] == 0x7F { return payload.count == 3 && frame[2] == asked[1] }
      service = frame[1]
    case 1?:
      guard frame.count == 8 else { return false }
      service = frame[2]
    default: return false
    }
    return service == asked[1] &+ 0x40
  }

  private mutating func request<C: CaptureConsumer & ~Copyable>(
    _ frame: LoggedFrame, _ payload: Range<Int>, at time: CaptureTime, into consumer: inout C
  ) {
    if isOpen { prompt(at: time, into: &consumer) }
    var line = AdapterLine()
    for i in payload { line.append(hex: frame[i]) }
    line.append(0x0D)
    line.deliver(.toAdapter, at: time, into: &consumer)
    isOpen = true
  }

  private mutating func response<C: CaptureConsumer & ~Copyable>(
    _ frame: LoggedFrame, _ type: UInt8, at time: CaptureTime, into consumer: inout C
  ) {
    if type < 2 {
      let (word, bit) = Self.place(of: frame)
      if answered[word] & bit != 0 { prompt(at: time, into: &consumer) }
      if !frame.isResponsePending { answered[word] |= bit }
    }
    var line = AdapterLine()
    line.append(identifier: frame)
    for i in 0..<frame.count {
      line.append(0x20)
      line.append(hex: frame[i])
    }
    line.append(0x0D)
    line.deliver(.fromAdapter, at: time, into: &consumer)
    isOpen = true
  }

  private static func place(of frame: LoggedFrame) -> (word: Int, bit: UInt64) {
    let index = frame.isExtended ? 2048 + Int(frame.identifier & 0xFF) : Int(frame.identifier)
    return (index >> 6, 1 << UInt64(index & 63))
  }

  private mutating func prompt<C: CaptureConsumer & ~Copyable>(at time: CaptureTime, into consumer: inout C) {
    var line = AdapterLine()
    line.append(0x0D)
    line.append(UInt8(ascii: ">"))
    line.deliver(.fromAdapter, at: time, into: &consumer)
    answered = InlineArray(repeating: 0)
    isOpen = false
  }
}

/// A line as an adapter prints it.
private struct AdapterLine {
  /// 40 bytes are enough for the longest line, which has a 29-bit identifier, 8 bytes and a CR: 11 + 24 + 1 characters.
  private var text = InlineArray<40, UInt8>(repeating: 0)
  private var count = 0

  /// Appends a character.
  mutating func append(_ byte: UInt8) {
    text[count] = byte
    count += 1
  }

  /// Appends a byte as two hexadecimal digits.
  mutating func append(hex byte: UInt8) {
    append(hexDigit(byte >> 4))
    append(hexDigit(byte & 0x0F))
  }

  /// Appends an identifier such as `7E8` or `18 DA F1 10`.
  mutating func append(identifier frame: LoggedFrame) {
    let value = frame.identifier
    guard frame.isExtended else {
      append(hexDigit(UInt8(value >> 8 & 0x0F)))
      append(hex: UInt8(value & 0xFF))
      return
    }
    for shift: UInt32 in [24, 16, 8] {
      append(hex: UInt8(value >> shift & 0xFF))
      append(0x20)
    }
    append(hex: UInt8(value & 0xFF))
  }

  /// Passes the line to the consumer.
  func deliver<C: CaptureConsumer & ~Copyable>(
    _ direction: CaptureDirection, at time: CaptureTime, into consumer: inout C
  ) {
    consumer.bytes(direction, at: time, text.span.extracting(first: count))
  }
}
