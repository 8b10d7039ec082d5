import JSONText

/// Configuration of a ``FileSink``.
///
///     { "type": "file", "path": "records.jsonl", "rotate": { "bytes": 16777216, "keep": 10 } }
public struct FileSinkConfiguration: Equatable, Sendable {
  /// The sink's name; `nil` for the name `file`.
  public var name: String?
  /// Whether the sink's records use the signal names of COVESA VSS 6.0.
  public var usesVSS = false
  /// Path of the file.
  public var path: String
  /// The conditions for rotating the file, and the handling of rotated files.
  public var rotation = Rotation()
  /// The conditions for writing records to the file: how many records wait, and for how long. By default, records are
  /// written without delay. Each write to the file causes at least 4 KiB of writes to the disk.
  public var batchPolicy = BatchPolicy(records: 1_000, interval: 0)

  /// The conditions for rotating the file, and the handling of rotated files.
  public struct Rotation: Equatable, Sendable {
    /// Maximum size of a file, bytes; `nil` for no limit.
    public var bytes: Int? = 16 << 20
    /// Maximum time between the first and the last record of a file, ms, according to the record IDs; `nil` for no
    /// limit.
    public var milliseconds: UInt64?
    /// Maximum number of rotated files. If there are more, the oldest are removed.
    public var keep = 10
    /// Whether rotated files are compressed with zstd.
    public var compresses = true

    /// Creates the default: files of up to 16 MiB, compressed after rotation; ten rotated files are kept.
    public init() {}
  }

  /// Creates a configuration with the given path. All other properties have their default values.
  public init(path: String) { self.path = path }

  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
    if var object = try reader.optionalObject("batch") {
      batchPolicy.records = try object.optionalInt("records", in: 1...10_000) ?? batchPolicy.records
      batchPolicy.interval = try object.optionalSeconds("seconds", in: 0...86_400) ?? batchPolicy.interval
      try object.finish()
    }
    if var object = try reader.optionalObject("rotate") {
      // If one limit is configured, the default value of the other does not apply.
      let names = ["bytes", "seconds"].filter { object.object[$0] != nil }
      if !names.isEmpty { rotation.bytes = nil }
      rotation.bytes = try object.optionalInt("bytes", in: 65_536...(1 << 40)) ?? rotation.bytes
      rotation.milliseconds = try object.optionalInt("seconds", in: 1...31_622_400).map { UInt64($0) * 1_000 }
      rotation.keep = try object.optionalInt("keep", in: 0...10_000) ?? rotation.keep
      rotation.compresses = try object.optionalBool("compress") ?? rotation.compresses
      try object.finish()
    }
    path = try reader.requiredPath("path", folder: folder)
  }
}
