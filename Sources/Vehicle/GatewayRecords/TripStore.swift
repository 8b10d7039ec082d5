import Failures
import Fusion
import GatewayOutput
import Glibc
import Ports

/// Stores the trips in progress, so that they continue after restarts and power cuts. Each is one text line
/// (`Fusion.TripMemory`). With a spool, they are a note (a named value) in the same commit as the records about them.
/// Without a spool, they are in `trips.jsonl` in the state directory.
///
/// An invalid line is logged, and its trip is lost. The file is written under another name and then renamed. Therefore,
/// a power cut leaves either the old file or the new one.
package struct TripStore {
  /// Maximum size of the file, bytes.
  private static let limit = 4 << 20
  /// Time between two writes during a trip, ns. A power cut can lose the part of the trip after the last write.
  package static let period: Int64 = 10_000_000_000

  /// Name of the note in the spool.
  package static let note = "trips"

  private let path: String
  private let isNote: Bool
  /// The text that is stored; empty if no text is stored. `nil` if the stored text is unknown; the next text is then
  /// written in any case.
  private var kept: [UInt8]? = []
  private var lastReason = ""
  private(set) var memories: [TripMemory] = []
  /// The file of an earlier run without a spool, which must be removed after the note is on the disk; `nil` if there is
  /// none.
  package private(set) var takenOver: String?

  /// Creates the storage for a run without a spool, and reads the file in the state directory.
  package init(folder: String) {
    path = folder + "/trips.jsonl"
    isNote = false
    guard unsafe access(path, F_OK) == 0 else { return }
    do throws(Failure) {
      let text = try FileText.read(path, limit: Self.limit)
      kept = text
      read(text)
    } catch {
      kept = nil
      Log.write("\(error); no trip is continued")
    }
  }

  /// Creates the storage for a run with a spool, and reads the trips from the spool's note.
  ///
  /// - Parameters:
  ///   - text: the content of the note; `nil` if there is no note.
  ///   - folder: the state directory; `nil` if there is none. If the spool has no note, the trips are read from the
  ///     file of an earlier run without a spool.
  package init(note text: [UInt8]?, before folder: String? = nil) {
    path = "the spool's trips"
    isNote = true
    kept = text ?? []
    read(text ?? [])
    guard let folder else { return }
    // If there are both a note and a file, a power cut occurred after the note was committed and before the file was
    // removed. The file is out of date.
    guard text == nil else {
      let file = folder + "/trips.jsonl"
      takenOver = unsafe access(file, F_OK) == 0 ? file : nil
      return
    }
    memories = TripStore(folder: folder).memories
    // The next note replaces the file, which is removed after the note is on the disk. If the file were not removed,
    // the end of its trips would be reported again.
    guard !memories.isEmpty else { return }
    takenOver = folder + "/trips.jsonl"
    kept = nil
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

  /// Stores the trips in progress. They replace all trips that were stored before.
  package mutating func save(_ memories: [TripMemory], _ sink: inout RecordOutput) {
    var text: [UInt8] = []
    for memory in memories { text += memory.text }
    // If the text has not changed, for example because all trips are suspended, it is not written again.
    guard text != kept else { return }
    if isNote {
      sink.setNote(text, as: Self.note)
      kept = text
      return
    }
    do throws(Failure) {
      try FileText.replace(path, with: text)
      kept = text
      lastReason = ""
    } catch {
      // A full disk causes the same error at each write. It is logged only once.
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

/// Determines when the trips of a pipeline are stored: every 10 s during a trip, and without delay when a trip begins
/// or ends.
struct TripSaver {
  private var store: TripStore
  private var changes = 0
  private var isUnderWay = true
  private var nextTime: Int64 = 0

  /// Creates the saver, and passes the stored trips to the pipeline, which continues them.
  init(_ store: TripStore, pipeline: inout RecordPipeline) {
    self.store = store
    pipeline.resumeTrips(store.memories, at: BootClock.now)
  }

  /// Time of the next write, ns since boot; `.max` if no trip is in progress.
  var next: Int64 { isUnderWay ? nextTime : .max }

  /// Stores the trips if a write is due, or if a trip has begun or ended.
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
