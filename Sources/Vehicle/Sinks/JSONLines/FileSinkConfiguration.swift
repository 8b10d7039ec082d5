import JSONText

/// Configuration of a ``FileSink``.
///
///     { "type": "file", "path": "records.jsonl", "rotate": { "bytes": 16777216, "keep": 10 } }
public struct FileSinkConfiguration: Equatable, Sendable {
  /// Name of the sink; `nil` for `file`.
  public var name: String?
  /// Whether records use signal names of COVESA VSS 6.0.
  public var usesVSS = false
  /// Path of the file.
  public var path: String
  /// Conditions for the rotation of the file.
  public var rotation = Rotation()
  /// Size and interval of writes. Each write to the file causes at least 4 KiB of writes to the disk.
  public var batchPolicy = BatchPolicy(records: 1_000, interval: 0)

  /// Conditions for the rotation of the file, and the treatment of rotated files.
  public struct Rotation: Equatable, Sendable {
    /// Maximum size in bytes; `nil` for no limit.
    public var bytes: Int? = 16 << 20
    /// Maximum time span of the records, ms, by the times in their IDs; `nil` for no limit.
    public var milliseconds: UInt64?
    /// Number of rotated files to keep; the oldest is removed first.
    public var keep = 10
    /// Whether rotated files are compressed with zstd.
    public var compresses = true

    /// Creates the default: 16 MiB, ten files, compressed.
    public init() {}
  }

  /// Creates a configuration with defaults for all properties except the path.
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
      // An explicit limit replaces the default one.
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
