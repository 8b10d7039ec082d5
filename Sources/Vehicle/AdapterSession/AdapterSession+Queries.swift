/// Properties that show how far a dialogue has progressed. They are for callers that end the dialogue when they have
/// the data that they need.
extension AdapterSession {
  /// Whether the vehicle answers and has reported which PIDs it supports.
  public var isRunning: Bool { connection?.isPolling ?? false }

  /// Whether all data that are requested only once per connection have been requested, even if the requests were not
  /// answered. These data are the VIN, calibrations, verification numbers and names of ECUs.
  public var hasIdentified: Bool {
    connection.map { $0.isPolling && $0.jobs.pending & Job.identification == 0 } ?? false
  }

  /// Whether the trouble codes and their freeze frames have been requested since the vehicle was found or its codes
  /// were cleared.
  public var hasReadCodes: Bool {
    let codes = Job.codes | Job.freezeFrame.bit
    return connection.map { $0.isPolling && $0.clearing == nil && $0.jobs.pending & codes == 0 } ?? false
  }
}
