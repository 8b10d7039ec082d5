import Ports
import Synchronization

/// Finished records on their way to a reader that may be slow: a fixed amount of memory, from which the oldest go when it
/// is full, and are reported.
///
/// One thread puts in, one takes out.
public final class RecordQueue: Sendable {
  /// Records that were dropped.
  public struct Loss: Sendable, Equatable {
    public var fromSequence: UInt64
    public var toSequence: UInt64
    public var count: UInt64
  }

  private struct State: Sendable {
    /// Lines, one behind the other, round and round.
    var bytes: [UInt8]
    var first = 0
    var count = 0
    /// Lengths of the lines, oldest first.
    var lengths: [Int32]
    var firstLength = 0
    var lines = 0
    /// `seq` of the oldest.
    var sequence: UInt64
    var loss: Loss?
    /// The loss that was told last, and the `seq` of the record about it: should that be dropped, too, it is told again.
    var told: (sequence: UInt64, loss: Loss)?
    var isEnded = false
  }

  /// Rung when there is something to take out, or the end has come.
  public let wakeUp: WakeUp
  private let state: Mutex<State>

  /// - Parameters:
  ///   - capacity: bytes that it holds; at least a record of 16 KiB.
  ///   - lines: records that it holds.
  ///   - firstSequence: `seq` of the first record that is put in; the others follow without a hole.
  /// - Throws: where the process has no descriptors left.
  public init(capacity: Int = 1 << 20, lines: Int = 8_192, firstSequence: UInt64 = 1) throws(PortError) {
    wakeUp = try WakeUp()
    state = Mutex(
      State(
        bytes: Self.untouched(max(capacity, 1 << 14)), lengths: [Int32](repeating: 0, count: lines),
        sequence: firstSequence))
  }

  /// Memory that is resident only as far as it is ever used.
  private static func untouched(_ count: Int) -> [UInt8] {
    // Bytes need no beginning, and none is read before it was written.
    unsafe [UInt8](unsafeUninitializedCapacity: count) { _, initialized in initialized = count }
  }

  /// Puts a record in; the oldest make room for it.
  func put(_ line: Span<UInt8>) {
    state.withLock { state in
      while state.bytes.count - state.count < line.count || state.lines == state.lengths.count { Self.drop(&state) }
      var place = (state.first + state.count) % state.bytes.count
      for index in line.indices {
        state.bytes[place] = line[index]
        place = place + 1 == state.bytes.count ? 0 : place + 1
      }
      state.count += line.count
      state.lengths[(state.firstLength + state.lines) % state.lengths.count] = Int32(truncatingIfNeeded: line.count)
      state.lines += 1
    }
  }

  /// Nothing more will be put in.
  func end() {
    state.withLock { $0.isEnded = true }
    wakeUp.signal()
  }

  /// What was dropped since this was last told; nil also while there is no room for a record about it, which would cost
  /// another one, and so on.
  ///
  /// - Parameter isLast: it is told now or never: the oldest make room.
  func takeLoss(isLast: Bool = false) -> Loss? {
    state.withLock { state in
      guard state.loss != nil else { return nil }
      while state.bytes.count - state.count < Self.gapRoom || state.lines == state.lengths.count {
        guard isLast else { return nil }
        Self.drop(&state)
      }
      defer { state.loss = nil }
      // The record about it is the next that is put in.
      if let loss = state.loss { state.told = (state.sequence + UInt64(state.lines), loss) }
      return state.loss
    }
  }

  /// No record of a loss is longer.
  private static let gapRoom = 1_024

  /// Takes whole lines out, the oldest first, as many as fit.
  ///
  /// - Returns: how many bytes were put at the beginning of `buffer`; nil: there are none, and no more will come.
  func take(into buffer: inout [UInt8]) -> Int? {
    state.withLock { state in
      var taken = 0
      while state.lines > 0 {
        let length = Int(state.lengths[state.firstLength])
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
    let length = Int(state.lengths[state.firstLength])
    let sequence = state.sequence
    state.first = (state.first + length) % state.bytes.count
    forgetFirst(&state, length)
    var loss = state.loss ?? Loss(fromSequence: sequence, toSequence: sequence, count: 0)
    loss.toSequence = sequence
    loss.count += 1
    if let told = state.told, told.sequence == sequence {
      loss.fromSequence = min(loss.fromSequence, told.loss.fromSequence)
      loss.count += told.loss.count
      state.told = nil
    }
    state.loss = loss
  }

  private static func forgetFirst(_ state: inout State, _ length: Int) {
    state.count -= length
    state.firstLength = (state.firstLength + 1) % state.lengths.count
    state.lines -= 1
    state.sequence += 1
    // What is used again and again is the beginning: the rest stays untouched while the reader is quick.
    if state.lines == 0 { state.first = 0 }
  }
}
