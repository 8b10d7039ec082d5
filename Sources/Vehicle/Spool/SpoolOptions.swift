import Telemetry

/// Configuration of a ``Spool``.
public struct SpoolOptions: Sendable {
  /// Folder of the file, created if missing; `nil` keeps records in memory only.
  public var folder: String?
  /// Unique names of the sinks that need the records; at most 32. The file's state for any other sink is discarded.
  public var sinks: [String]
  /// Gateway of the records; `nil` accepts any. If it changes, a new epoch begins at the first start at which no record
  /// of the old gateway waits.
  public var gatewayId: String?
  /// Interval of commits of telemetry, ns. A power cut can lose the telemetry of one interval.
  public var commitInterval: Int64 = 5_000_000_000
  /// Limit for the bytes in use in the database. Above it, the oldest telemetry is dropped, then the oldest events.
  public var maximumBytes: Int64 = 256 << 20
  /// Maximum age of a record, ns. Older records are dropped at the next commit; `.max` for no limit.
  public var maximumAge: Int64 = .max
  /// Limit for the bytes of records in memory while the file cannot be used.
  public var memoryBytes: Int = 1 << 21
  /// Time until an unusable file is retried, ns.
  public var retryInterval: Int64 = 5_000_000_000
  /// Creates a new epoch.
  public var newEpoch: @Sendable () -> UUIDv7
  /// Called repeatedly during long operations, such as the recovery of a damaged file. The caller can extend its start
  /// timeout.
  public var working: @Sendable () -> Void = {}

  /// Creates options with defaults for all other properties; the parameters are the properties of the same names.
  public init(folder: String?, sinks: [String], newEpoch: @escaping @Sendable () -> UUIDv7) {
    self.folder = folder
    self.sinks = sinks
    self.newEpoch = newEpoch
  }
}
