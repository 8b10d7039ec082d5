import Ports
import Spool
import Synchronization

/// What the record thread has made on its way to the spool's: records with their times, and what is remembered beside
/// them. A fixed amount of memory, from which the oldest records go when it is full, and are counted.
///
/// One thread puts in, one takes out. What is put in by one ``put(_:)`` is taken out together, so that the spool commits
/// a record and what is remembered of it at once.
public final class SpoolQueue: Sendable {
  /// Everything between two looks.
  struct Load: Sendable {
    /// Lines, one behind the other.
    var bytes: [UInt8] = []
    var records: [Entry] = []
    /// By name; an empty one is forgotten.
    var notes: [(name: String, value: [UInt8])] = []
    /// What is known of the date, where that has changed.
    var wall: WallTime?
    /// Records for which there was no place.
    var lost: UInt64 = 0
    /// Nothing more will come.
    var isLast = false

    var isEmpty: Bool { records.isEmpty && notes.isEmpty && wall == nil && lost == 0 && !isLast }

    mutating func clear() {
      bytes.removeAll(keepingCapacity: true)
      records.removeAll(keepingCapacity: true)
      notes.removeAll(keepingCapacity: true)
      wall = nil
      lost = 0
      isLast = false
    }
  }

  /// One record.
  struct Entry: Sendable {
    /// Of its line, in bytes.
    var length: Int32
    /// Boot time, ns.
    var time: Int64
  }

  /// Rung when there is something to take out.
  let wakeUp: WakeUp
  private let capacity: Int
  private let state = Mutex(Load())

  /// - Parameter capacity: bytes of records that it holds: ten minutes of a large record a second.
  /// - Throws: where the process has no descriptors left.
  public init(capacity: Int = 1 << 20) throws(PortError) {
    wakeUp = try WakeUp()
    self.capacity = capacity
  }

  /// Puts everything in behind what is there, and rings; `load` is empty then.
  func put(_ load: inout Load) {
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

  /// Takes everything out; `load`, which is empty, lends its memory.
  ///
  /// - Returns: false where there is nothing.
  func take(_ load: inout Load) -> Bool {
    state.withLock { state in
      guard !state.isEmpty else { return false }
      swap(&state, &load)
      return true
    }
  }

  /// Makes room for so many bytes, and for some more, so that the next few need none.
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
