import Failures
import Fusion
import GatewayOutput
import Glibc
import Ports

/// Stores the trips in progress across restarts and power cuts, one text line for each (`Fusion.TripMemory`). With a
/// spool, they are a note (a named value) in the same commit as the records about them. Without a spool, they are in
/// `trips.jsonl` in the state directory.
///
/// An invalid line is logged, and its trip is lost. The file is written under another name and then renamed, so that
/// after a power cut there is either the old file or the new one.
package struct TripStore {
  /// Maximum size of the file, bytes.
  private static let limit = 4 << 20
  /// Time between two writes during a trip, ns. A power cut can lose the part of the trip since the last write.
  package static let period: Int64 = 10_000_000_000

  /// Name of the spool's note.
  package static let note = "trips"

  private let path: String
  private let isNote: Bool
  private var isEmpty: Bool
  /// The text that was written last; `nil` if the next text must be written even if it is the same.
  private var kept: [UInt8]? = []
  private var lastReason = ""
  private(set) var memories: [TripMemory] = []
  /// The file of an earlier version from which the trips were read; `nil` if they were already in a note of the spool.
  package private(set) var takenOver: String?

  /// Creates the storage without a spool, and reads the file in the state directory.
  package init(folder: String) {
    path = folder + "/trips.jsonl"
    isNote = false
    isEmpty = unsafe access(path, F_OK) != 0
    guard !isEmpty else { return }
    do throws(Failure) {
      read(try FileText.read(path, limit: Self.limit))
    } catch {
      Log.write("\(error); no trip is continued")
    }
  }

  /// Creates the storage in a spool, and reads the spool's note.
  ///
  /// - Parameters:
  ///   - text: the note; `nil` if there is none.
  ///   - folder: the state directory. If it contains a file of an earlier run without a spool, the trips of that file
  ///     are used.
  package init(note text: [UInt8]?, before folder: String? = nil) {
    path = "the spool's trips"
    isNote = true
    isEmpty = text == nil
    kept = text ?? []
    read(text ?? [])
    guard let folder else { return }
    // The note was committed, and then a power cut prevented the removal of the file. The file is out of date.
    guard text == nil else {
      let file = folder + "/trips.jsonl"
      takenOver = unsafe access(file, F_OK) == 0 ? file : nil
      return
    }
    memories = TripStore(folder: folder).memories
    // The next note replaces the file, which is removed when the note is on the disk. If the file remained, the end of
    // its trips would be reported again.
    guard !memories.isEmpty else { return }
    takenOver = folder + "/trips.jsonl"
    kept = nil
    isEmpty = memories.isEmpty
  }

  private mutating func read(_ text: [UInt8]) {
    for (index, line) in text.split(separator: 0x0A).enumerated() {
      do throws(TripMemoryError) {
        memories.append(try TripMemory(parsing: Array(line)))
      } catch {
        Log.write("\(path):\(index + 1): \(Self.reason(error)); its trip is lost")
      }
    }
  }

  /// Stores the trips in progress. They replace all that were stored before.
  package mutating func save(_ memories: [TripMemory], _ sink: inout RecordOutput) {
    if memories.isEmpty, isEmpty { return }
    var text: [UInt8] = []
    for memory in memories { text += memory.text }
    // If nothing has changed, for example because all trips are suspended, nothing is written.
    guard text != kept else { return }
    if isNote {
      sink.setNote(text, as: Self.note)
      kept = text
      isEmpty = memories.isEmpty
      return
    }
    do throws(Failure) {
      try FileText.replace(path, with: text)
      kept = text
      isEmpty = memories.isEmpty
      lastReason = ""
    } catch {
      // A full disk causes the same error again and again. Log it only once.
      if error.description != lastReason { Log.write("\(error); a power cut may lose the trip under way") }
      lastReason = error.description
    }
  }

  private static func reason(_ error: TripMemoryError) -> String {
    switch error {
    case .damaged: "damaged"
    case .notReadable(let error): error.reason
    }
  }
}

/// Decides when the trips of a pipeline are stored: every few seconds during a trip, and at once when one begins or
/// ends.
struct TripSaver {
  private var store: TripStore
  private var changes = 0
  private var isUnderWay = true
  private var nextTime: Int64 = 0

  /// Passes the stored trips to the pipeline, which continues them.
  init(_ store: TripStore, pipeline: inout RecordPipeline) {
    self.store = store
    pipeline.resumeTrips(store.memories, at: BootClock.now)
  }

  /// Time of the next write; `.max` if no trip is in progress.
  var next: Int64 { isUnderWay ? nextTime : .max }

  /// Stores the trips, if that is due.
  mutating func saveDue(of pipeline: inout RecordPipeline, at now: Int64, _ sink: inout RecordOutput) {
    guard now >= nextTime || pipeline.tripChanges != changes else { return }
    save(of: &pipeline, at: now, &sink)
  }

  mutating func save(of pipeline: inout RecordPipeline, at now: Int64, _ sink: inout RecordOutput) {
    let memories = pipeline.tripMemories(at: now)
    store.save(memories, &sink)
    isUnderWay = !memories.isEmpty
    changes = pipeline.tripChanges
    nextTime = now + TripStore.period
  }
}
