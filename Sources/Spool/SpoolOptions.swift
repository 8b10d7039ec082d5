import Telemetry

/// How a spool keeps records.
public struct SpoolOptions: Sendable {
  /// Where the file is; made where it is missing. Nil: there is none, and records are kept in memory only.
  public var folder: String?
  /// The sinks that records are kept for, by names of their own; at most 32. What the file knows of others is
  /// forgotten.
  public var sinks: [String]
  /// Whose records they are: another gateway's begin a new epoch, where none of the old ones waits. Nil: any.
  public var gatewayId: String?
  /// How long telemetry waits for others to be committed with it, ns: what a power cut can cost.
  public var commitInterval: Int64 = 5_000_000_000
  /// Bytes that the database may use; from then on the oldest telemetry goes, and events once there is none.
  public var maximumBytes: Int64 = 256 << 20
  /// Records of a greater age are dropped at the next commit, ns; `.max`: none.
  public var maximumAge: Int64 = .max
  /// Bytes that records may take in memory while the file cannot be used.
  public var memoryBytes: Int = 1 << 21
  /// How long to wait before the file is tried again, ns.
  public var retryInterval: Int64 = 5_000_000_000
  /// Makes a new epoch.
  public var newEpoch: @Sendable () -> UUIDv7
  /// Called now and again while something takes long: a damaged file that is read through.
  public var working: @Sendable () -> Void = {}

  public init(folder: String?, sinks: [String], newEpoch: @escaping @Sendable () -> UUIDv7) {
    self.folder = folder
    self.sinks = sinks
    self.newEpoch = newEpoch
  }
}
