import Fusion
import Glibc
import Ports

/// The trips that are under way, kept over a restart and a power cut, a line for each adapter that has one
/// (`Fusion.TripMemory`): a note of the spool, in one commit with the records that tell of them, or, where there is no spool,
/// `trips.jsonl` in the state directory.
///
/// A line that cannot be read is said, and there is no such trip. The file is written whole under another name and
/// renamed, so that a power cut leaves the old one or the new one.
struct TripStore {
  /// It is written so often while a trip is under way, ns: what is driven in this time a power cut may cost.
  static let period: Int64 = 10_000_000_000

  /// As the spool names it.
  static let note = "trips"

  private let path: String
  private let isNote: Bool
  private var isEmpty: Bool
  /// What was written last.
  /// Nil: nothing yet, whatever is under way.
  private var kept: [UInt8]? = []
  private var lastReason = ""
  private(set) var memories: [TripMemory] = []
  /// The file that they were read from, where they are kept as a note from now on.
  private(set) var takenOver: String?

  /// - Parameter folder: the state directory.
  init(folder: String) {
    path = folder + "/trips.jsonl"
    isNote = false
    isEmpty = unsafe access(path, F_OK) != 0
    guard !isEmpty else { return }
    do throws(StartError) {
      read(try FileText.read(path))
    } catch {
      Log.write("\(error); no trip goes on")
    }
  }

  /// - Parameters:
  ///   - text: the spool's note; nil: there is none.
  ///   - folder: the state directory: its file, if there is one, is of a time without a spool, and is taken over.
  init(note text: [UInt8]?, before folder: String? = nil) {
    path = "the spool's trips"
    isNote = true
    isEmpty = text == nil
    kept = text ?? []
    read(text ?? [])
    guard let folder else { return }
    // The note is on the disk, the file not yet gone: a power cut came between the two.
    guard text == nil else {
      let file = folder + "/trips.jsonl"
      takenOver = unsafe access(file, F_OK) == 0 ? file : nil
      return
    }
    memories = TripStore(folder: folder).memories
    // The note that the record thread keeps next takes its place, and the file goes once that is on the disk. Where the
    // trips are over by then, the note says so: the file would tell their end again.
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

  /// Keeps what is under way now, in place of all that was kept.
  mutating func keep(_ memories: [TripMemory], _ sink: inout RecordOutlet) {
    if memories.isEmpty, isEmpty { return }
    var text: [UInt8] = []
    for memory in memories { text += memory.text }
    // One that waits for its adapter stays as it is.
    guard text != kept else { return }
    if isNote {
      sink.keep(text, as: Self.note)
      kept = text
      isEmpty = memories.isEmpty
      return
    }
    do throws(StartError) {
      try FileText.replace(path, with: text)
      kept = text
      isEmpty = memories.isEmpty
      lastReason = ""
    } catch {
      // A disk that is full stays so: said once.
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

/// When the trips of a pipeline are kept: every few seconds while one is under way, and at once when one began or ended.
struct TripSaver {
  private var store: TripStore
  private var changes = 0
  private var isUnderWay = true
  private var nextTime: Int64 = 0

  /// Gives the pipeline what was under way when the program ended.
  init(_ store: TripStore, pipeline: inout RecordPipeline) {
    self.store = store
    pipeline.resumeTrips(store.memories, at: BootClock.now)
  }

  /// When there is something to keep though nothing happened; `.max`: nothing is under way.
  var next: Int64 { isUnderWay ? nextTime : .max }

  /// Keeps what there is, if it is time to.
  mutating func keepDue(of pipeline: inout RecordPipeline, at now: Int64, _ sink: inout RecordOutlet) {
    guard now >= nextTime || pipeline.tripChanges != changes else { return }
    keep(of: &pipeline, at: now, &sink)
  }

  mutating func keep(of pipeline: inout RecordPipeline, at now: Int64, _ sink: inout RecordOutlet) {
    let memories = pipeline.tripMemories(at: now)
    store.keep(memories, &sink)
    isUnderWay = !memories.isEmpty
    changes = pipeline.tripChanges
    nextTime = now + TripStore.period
  }
}
