import JSONText

/// `{ "type": "file", "path": "records.jsonl", "batch": { "seconds": 30 }, "rotate": { "bytes": 16777216, "keep": 10 } }`
public struct FileSinkConfiguration: Equatable, Sendable {
  /// Nil: `file`.
  public var name: String?
  /// Whether it gets the names of COVESA VSS 6.0.
  public var usesVSS = false
  public var path: String
  public var rotation = Rotation()
  /// How long records wait for others: each write is followed by one to the disk, of 4 KiB and more.
  public var gathering = Gathering(records: 1_000, interval: 0)

  /// When the file is put aside and another begun.
  public struct Rotation: Equatable, Sendable {
    /// Before it would be longer than so many bytes; nil: never for that.
    public var bytes: Int? = 16 << 20
    /// Before it would hold records of a longer time, ms; nil: never for that. Counted by the records' ids.
    public var milliseconds: UInt64?
    /// So many of those put aside stay; the oldest goes first.
    public var keep = 10
    /// Whether those put aside are compressed with zstd.
    public var compresses = true

    public init() {}
  }

  public init(path: String) { self.path = path }

  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
    path = try reader.requiredPath("path", folder: folder)
    if var object = try reader.optionalObject("batch") {
      gathering.records = try object.optionalInt("records", in: 1...10_000) ?? gathering.records
      gathering.interval = try object.optionalSeconds("seconds", in: 0...86_400) ?? gathering.interval
      try object.finish()
    }
    guard var object = try reader.optionalObject("rotate") else { return }
    // Whoever says when it is put aside means that alone.
    let names = ["bytes", "seconds"].filter { object.object[$0] != nil }
    if !names.isEmpty { rotation.bytes = nil }
    rotation.bytes = try object.optionalInt("bytes", in: 65_536...(1 << 40)) ?? rotation.bytes
    rotation.milliseconds = try object.optionalInt("seconds", in: 1...31_622_400).map { UInt64($0) * 1_000 }
    rotation.keep = try object.optionalInt("keep", in: 0...10_000) ?? rotation.keep
    rotation.compresses = try object.optionalBool("compress") ?? rotation.compresses
    try object.finish()
  }
}
