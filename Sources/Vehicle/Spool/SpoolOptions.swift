import Telemetry

/// Options of a ``Spool``.
public struct SpoolOptions: Sendable {
  /// Folder of the spool's file; `nil` to keep records only in memory. The folder is created if it does not exist.
  public var folder: String?
  /// Names of the sinks to which records are delivered: at most 32, all different. If the file contains the state of a
  /// sink that is not listed, that state is discarded.
  public var sinks: [String]
  /// The gateway's ID; `nil` to accept records of any gateway. If it has changed, a new epoch begins at the first start
  /// at which no records with the old gateway ID are waiting.
  public var gatewayId: String?
  /// Time between two commits of telemetry, ns. A power cut can lose the telemetry of this much time.
  public var commitInterval: Int64 = 5_000_000_000
  /// Maximum number of bytes that the database uses. If it is exceeded, the oldest telemetry is dropped first, and then
  /// the oldest events.
  public var maximumBytes: Int64 = 256 << 20
  /// Maximum age of a record, ns; `.max` for no limit. The next commit drops older records.
  public var maximumAge: Int64 = .max
  /// Maximum size of all records that are kept in memory while the file cannot be used, bytes.
  public var memoryBytes: Int = 1 << 21
  /// Time from one attempt to use the file to the next, while the file cannot be used, ns.
  public var retryInterval: Int64 = 5_000_000_000
  /// Creates the ID of a new epoch.
  public var newEpoch: @Sendable () -> UUIDv7
  /// Called repeatedly during long operations, such as the recovery of a damaged file. The caller can then ask its
  /// service manager for more time.
  public var working: @Sendable () -> Void = {}

  /// Creates options with default values for all properties that are not parameters.
  public init(folder: String?, sinks: [String], newEpoch: @escaping @Sendable () -> UUIDv7) {
    self.folder = folder
    self.sinks = sinks
    self.newEpoch = newEpoch
  }
}
