/// The durations for which the transactions of one operation held the write lock of a SQLite database. All other writes
/// wait during this time.
public struct WriteTimes: Equatable, Sendable {
  /// The operation of the current task, for example the id of a route; `nil` for the server's own work.
  @TaskLocal public static var operation: String?

  /// The duration above which the log reports a transaction. It is much longer than the duration that transactions are
  /// meant to have, because it includes the wait for the disk.
  public static let bound = Duration.milliseconds(500)

  public private(set) var count = 0
  public private(set) var seconds = 0.0
  /// The duration of the longest transaction, s.
  public private(set) var longest = 0.0
  /// The number of transactions that took longer than ``bound``.
  public private(set) var slow = 0

  public init() {}

  /// Adds the duration of a transaction.
  public mutating func add(_ duration: Duration) {
    count += 1
    seconds += duration / .seconds(1)
    longest = max(longest, duration / .seconds(1))
    if duration > Self.bound { slow += 1 }
  }
}
