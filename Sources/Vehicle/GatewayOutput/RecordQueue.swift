import Ports
import Synchronization

/// A queue of finished records for a reader that may be slow, with a fixed amount of memory. When the memory is full,
/// the oldest records are discarded and counted.
///
/// One thread appends records, and one thread removes them.
public final class RecordQueue: Sendable {
  /// Records that were discarded: their first and last sequence number, and their count.
  public struct Loss: Sendable, Equatable {
    public var fromSequence: UInt64
    public var toSequence: UInt64
    public var count: UInt64
  }

  /// Length and sequence number of one text line in the buffer.
  private struct Mark: BitwiseCopyable, Sendable {
    var length: Int32
    var sequence: UInt64
  }

  private struct State: Sendable {
    /// The text lines, one after another, in a ring buffer.
    var bytes: [UInt8]
    var first = 0
    var count = 0
    /// A mark for each text line, the oldest first, in a ring buffer.
    var marks: [Mark]
    var firstMark = 0
    var lines = 0
    /// Sequence number of the next record.
    var next: UInt64
    var loss: Loss?
    /// Total number of records that were discarded.
    var lost: UInt64 = 0
    /// The last loss that was reported, and the number of text lines before its `gap` record in the queue; `nil` if no
    /// such record is in the queue. If the `gap` record is itself discarded, the loss is reported again.
    var told: (before: Int, loss: Loss)?
    var isEnded = false
  }

  /// The wake-up of the reader. It is signalled when records were appended or the queue has ended.
  public let wakeUp: WakeUp
  private let state: Mutex<State>

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - capacity: size of the memory for text lines, bytes; at least 16 KiB are used.
  ///   - lines: maximum number of records.
  ///   - firstSequence: sequence number of the first record. Each later record has the next number.
  /// - Throws: ``Ports/PortError`` if the process cannot open another file descriptor.
  public init(capacity: Int = 1 << 20, lines: Int = 8_192, firstSequence: UInt64 = 1) throws(PortError) {
    wakeUp = try WakeUp()
    state = Mutex(State(bytes: .untouched(max(capacity, 1 << 14)), marks: .untouched(lines), next: firstSequence))
  }

  /// Appends a record. If there is no room, the oldest records are discarded.
  package func put(_ line: Span<UInt8>) {
    state.withLock { state in
      while state.bytes.count - state.count < line.count || state.lines == state.marks.count { Self.drop(&state) }
      var place = (state.first + state.count) % state.bytes.count
      for index in line.indices {
        state.bytes[place] = line[index]
        place = place + 1 == state.bytes.count ? 0 : place + 1
      }
      state.count += line.count
      let mark = Mark(length: Int32(truncatingIfNeeded: line.count), sequence: state.next)
      state.marks[(state.firstMark + state.lines) % state.marks.count] = mark
      state.lines += 1
      state.next += 1
    }
  }

  /// Ends the queue. No records may be appended afterwards.
  package func end() {
    state.withLock { $0.isEnded = true }
    wakeUp.signal()
  }

  /// Removes and returns the loss of records that were discarded since the last call. Returns `nil` if no records were
  /// discarded. Also returns `nil` if there is no room for the `gap` record, and making room would discard further
  /// records.
  ///
  /// - Parameter isLast: whether this is the last call. In this case, the oldest records are discarded to make room.
  package func popLoss(isLast: Bool = false) -> Loss? {
    state.withLock { state in
      guard state.loss != nil else { return nil }
      while state.bytes.count - state.count < Self.gapRoom || state.lines == state.marks.count {
        guard isLast else { return nil }
        Self.drop(&state)
      }
      defer { state.loss = nil }
      // The caller appends the `gap` record of this loss next.
      if let loss = state.loss { state.told = (state.lines, loss) }
      return state.loss
    }
  }

  /// Number of records that were discarded since the start.
  package var lost: UInt64 { state.withLock { $0.lost } }

  /// Maximum length of a `gap` record, bytes.
  private static let gapRoom = 1_024

  /// Moves as many complete text lines as fit to the start of `buffer`, the oldest first.
  ///
  /// - Returns: number of bytes that were moved; `nil` if the queue is empty and has ended.
  package func moveLines(into buffer: inout [UInt8]) -> Int? {
    state.withLock { state in
      var taken = 0
      while state.lines > 0 {
        let length = Int(state.marks[state.firstMark].length)
        guard taken + length <= buffer.count else { break }
        for _ in 0..<length {
          buffer[taken] = state.bytes[state.first]
          taken += 1
          state.first = state.first + 1 == state.bytes.count ? 0 : state.first + 1
        }
        Self.forgetFirst(&state, length)
      }
      return taken == 0 && state.isEnded ? nil : taken
    }
  }

  private static func drop(_ state: inout State) {
    let mark = state.marks[state.firstMark]
    state.first = (state.first + Int(mark.length)) % state.bytes.count
    let toldAgain = state.told?.before == 0 ? state.told?.loss : nil
    forgetFirst(&state, Int(mark.length))
    var loss = state.loss ?? Loss(fromSequence: mark.sequence, toSequence: mark.sequence, count: 0)
    loss.toSequence = mark.sequence
    loss.count += 1
    state.lost += 1
    if let toldAgain {
      loss.fromSequence = min(loss.fromSequence, toldAgain.fromSequence)
      loss.count += toldAgain.count
    }
    state.loss = loss
  }

  private static func forgetFirst(_ state: inout State, _ length: Int) {
    state.count -= length
    state.firstMark = (state.firstMark + 1) % state.marks.count
    state.lines -= 1
    // When the `gap` record leaves the queue, its loss need not be reported again.
    if let told = state.told { state.told = told.before == 0 ? nil : (told.before - 1, told.loss) }
    // If the queue is empty, use the buffer from its beginning again. Then, less memory becomes resident if the reader
    // is fast.
    if state.lines == 0 { state.first = 0 }
  }
}

extension Array where Element: BitwiseCopyable {
  /// Returns an array whose memory is not initialized. A memory page of the array becomes resident when it is first
  /// used.
  static func untouched(_ count: Int) -> [Element] {
    // This is safe for bytes and numbers if each element is written before it is read.
    unsafe [Element](unsafeUninitializedCapacity: count) { _, initialized in initialized = count }
  }
}
