import Ports
import Spool
import Synchronization

/// The queue from the record thread to the spool's thread. It contains records with their times, and notes (named
/// values). When it has too many bytes of records, the oldest records are discarded and counted.
///
/// One thread appends content, and one thread removes it. The content of one ``put(_:)`` is removed as a whole, so that
/// the spool commits a record and its note together.
public final class SpoolQueue: Sendable {
  /// The content of the queue, or content that is appended to it.
  package struct Load: Sendable {
    /// The text lines of the records, one after another.
    package var bytes: [UInt8] = []
    package var records: [Entry] = []
    /// Notes, with their names. A note with an empty value is removed from the spool.
    package var notes: [(name: String, value: [UInt8])] = []
    /// The date, if it became known or was corrected since the last removal; otherwise `nil`.
    package var wall: WallTime?
    /// Number of records that were discarded because the queue was full.
    package var lost: UInt64 = 0
    /// Whether the queue has ended. No content follows.
    package var isLast = false

    package init() {}

    package var isEmpty: Bool { records.isEmpty && notes.isEmpty && wall == nil && lost == 0 && !isLast }

    package mutating func clear() {
      bytes.removeAll(keepingCapacity: true)
      records.removeAll(keepingCapacity: true)
      notes.removeAll(keepingCapacity: true)
      wall = nil
      lost = 0
      isLast = false
    }
  }

  /// A record in ``Load/bytes``.
  package struct Entry: Sendable {
    /// Length of the record's text line, bytes.
    package var length: Int32
    /// Time of the record, ns since boot.
    package var time: Int64

    /// Creates a value; the parameters are the properties of the same names.
    package init(length: Int32, time: Int64) {
      self.length = length
      self.time = time
    }
  }

  /// The wake-up of the spool's thread. It is signalled when content was appended.
  package let wakeUp: WakeUp
  private let capacity: Int
  private let state = Mutex(Load())

  /// Creates an empty queue.
  ///
  /// - Parameter capacity: maximum size of all records, bytes. The default suffices for ten minutes with one large
  ///   record per second.
  /// - Throws: ``Ports/PortError`` if the process cannot open another file descriptor.
  public init(capacity: Int = 1 << 20) throws(PortError) {
    wakeUp = try WakeUp()
    self.capacity = capacity
  }

  /// Moves the content of `load` to the queue, and signals ``wakeUp``.
  package func put(_ load: inout Load) {
    guard !load.isEmpty else { return }
    state.withLock { state in
      if state.bytes.count + load.bytes.count > capacity { Self.drop(&state, load.bytes.count, capacity) }
      state.bytes.append(contentsOf: load.bytes)
      state.records.append(contentsOf: load.records)
      for note in load.notes {
        state.notes.removeAll { $0.name == note.name }
        state.notes.append(note)
      }
      if let wall = load.wall { state.wall = wall }
      state.lost += load.lost
      state.isLast = state.isLast || load.isLast
    }
    load.clear()
    wakeUp.signal()
  }

  /// Moves the content of the queue to `load`, which must be empty. The queue then uses the memory of `load`.
  ///
  /// - Returns: whether the queue had content.
  package func move(into load: inout Load) -> Bool {
    state.withLock { state in
      guard !state.isEmpty else { return false }
      swap(&state, &load)
      return true
    }
  }

  /// Discards the oldest records. It makes more room than the new content needs, so that the next calls need not
  /// discard records.
  private static func drop(_ state: inout Load, _ wanted: Int, _ capacity: Int) {
    let room = max(0, capacity - capacity / 8 - wanted)
    var bytes = 0
    var count = 0
    while count < state.records.count, state.bytes.count - bytes > room {
      bytes += Int(state.records[count].length)
      count += 1
    }
    state.bytes.removeFirst(bytes)
    state.records.removeFirst(count)
    state.lost += UInt64(count)
  }
}
