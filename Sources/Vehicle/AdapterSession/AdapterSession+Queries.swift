/// The progress of a dialogue, for a caller that needs a single answer.
extension AdapterSession {
  /// Whether the vehicle answers and has reported which PIDs it supports.
  public var isRunning: Bool { connection?.isPolling ?? false }

  /// Whether all data that are requested only once (VIN, calibrations, verification numbers, names of ECUs) were
  /// requested. Each was answered, refused or is not supported.
  public var hasIdentified: Bool {
    connection.map { $0.isPolling && $0.jobs.pending & Job.identification == 0 } ?? false
  }

  /// Whether the trouble codes and their freeze frames were requested since the connection, or since they were cleared.
  public var hasReadCodes: Bool {
    let codes = Job.codes | Job.freezeFrame.bit
    return connection.map { $0.isPolling && $0.clearing == nil && $0.jobs.pending & codes == 0 } ?? false
  }
}
