/// An event that the spool reports to the operator. `description` is one log line.
public enum SpoolEvent: Equatable, Sendable, CustomStringConvertible {
  /// The file was opened. `records` is the number of its records that at least one sink has not acknowledged.
  case opened(path: String, records: Int64)
  /// A sink is no longer configured. `records` is the number of records that it had not acknowledged. They are no
  /// longer stored for it.
  case sinkForgotten(path: String, sink: String, records: Int64)
  /// The file was not closed properly after its last use. Records that were not committed are lost.
  case uncleanStop(path: String)
  /// The file was damaged, and was renamed to `kept`. A new file contains the records that were still readable; `saved`
  /// is their number.
  case setAside(SpoolError, kept: String, saved: UInt64)
  /// A record in the file is damaged, and is not delivered.
  case damagedRecord(path: String, sequence: UInt64)
  /// The file was removed or replaced. The spool continues with the file that is now at its path, or with a new one.
  case fileGone(path: String)
  /// The file cannot be used. As many new records as fit are kept in memory.
  case inMemory(SpoolError)
  /// The file can be used again.
  case durableAgain(path: String)

  public var description: String {
    switch self {
    case .opened(let path, 1): "\(path): 1 record waits for sinks"
    case .opened(let path, let records): "\(path): \(records) records wait for sinks"
    case .sinkForgotten(let path, let sink, let records):
      "\(path): the sink \"\(sink)\" is no longer configured; \(records) records that it lacked are not kept "
        + "for it"
    case .uncleanStop(let path):
      "\(path): the spool was not closed the last time; records that were not committed then are lost"
    case .setAside(let error, let kept, let saved):
      "\(error); renamed to \(kept); a new spool starts with its \(saved) readable records"
    case .damagedRecord(let path, let sequence): "\(path): record \(sequence) is damaged and is not delivered"
    case .fileGone(let path):
      "\(path): the file was removed or replaced while in use; its records are lost, a new spool starts"
    case .inMemory(let error): "\(error); the newest records are kept in memory"
    case .durableAgain(let path): "\(path): records are kept in the file again"
    }
  }
}
