import Ports
import Spool
import Synchronization

/// The queue from the record thread to the spool's thread. It contains records with their times, and notes (named
/// values). It has a fixed amount of memory. If that is full, the oldest records are dropped and counted.
///
/// One thread appends, one removes. The content of one ``put(_:)`` is removed as a whole, so that the spool commits a
/// record and its note together.
public final class SpoolQueue: Sendable {
  /// The content that was appended since the last removal.
  package struct Load: Sendable {
    /// The text lines of the records, one after another.
    package var bytes: [UInt8] = []
    package var records: [Entry] = []
    /// Notes with their names. An empty value removes the note.
    package var notes: [(name: String, value: [UInt8])] = []
    /// The date and time, if they became known or were corrected after the previous call; otherwise `nil`.
    package var wall: WallTime?
    /// Number of records that were dropped.
    package var lost: UInt64 = 0
    /// Whether the queue has ended. Nothing follows then.
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

  /// Signalled when the queue has content.
  package let wakeUp: WakeUp
  private let capacity: Int
  private let state = Mutex(Load())

  /// Creates an empty queue.
  ///
  /// - Parameter capacity: maximum size of all records, bytes. The default is sufficient for ten minutes with one large
  ///   record a second.
  /// - Throws: ``Ports/PortError`` if the process has no file descriptors left.
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

  /// Moves all content of the queue to `load`, which must be empty and whose memory is used again.
  ///
  /// - Returns: `false` if the queue was empty.
  package func take(_ load: inout Load) -> Bool {
    state.withLock { state in
      guard !state.isEmpty else { return false }
      swap(&state, &load)
      return true
    }
  }

  /// Drops the oldest records. It makes more room than the wanted bytes need, so that not every call has to drop
  /// records.
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
