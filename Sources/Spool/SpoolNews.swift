/// What people should know of a spool: a line for each.
public enum SpoolNews: Equatable, Sendable, CustomStringConvertible {
  /// The file is open, with so many records that some sink lacks.
  case opened(path: String, records: Int64)
  /// A sink that it was read by is not configured any more: so many records that it had not taken are not kept for it.
  case sinkForgotten(path: String, sink: String, records: Int64)
  /// Whoever had it before did not close it: what was not committed is lost.
  case uncleanStop(path: String)
  /// It was damaged; a new one has taken its place, with the records that could still be read.
  case setAside(SpoolError, kept: String, saved: UInt64)
  /// A record in it was damaged and does not leave.
  case damagedRecord(path: String, sequence: UInt64)
  /// It was removed, or another was put in its place: that one, or a new one, is used from here on.
  case fileGone(path: String)
  /// It cannot be used: the newest records are kept in memory.
  case inMemory(SpoolError)
  /// It can be used again.
  case durableAgain(path: String)

  public var description: String {
    switch self {
    case .opened(let path, 1): "\(path): 1 record waits for sinks"
    case .opened(let path, let records): "\(path): \(records) records wait for sinks"
    case .sinkForgotten(let path, let sink, let records):
      "\(path): the sink \"\(sink)\" is not configured any more; \(records) records that it had not taken are not kept "
        + "for it"
    case .uncleanStop(let path): "\(path): not closed the last time; what was not committed then is lost"
    case .setAside(let error, let kept, let saved):
      "\(error); set aside as \(kept); a new spool begins with \(saved) records that could be read"
    case .damagedRecord(let path, let sequence): "\(path): record \(sequence) is damaged and does not leave"
    case .fileGone(let path): "\(path): removed or replaced while in use; what it held is lost, another takes its place"
    case .inMemory(let error): "\(error); the newest records are kept in memory"
    case .durableAgain(let path): "\(path): records are kept in the file again"
    }
  }
}
