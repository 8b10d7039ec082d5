/// How far a dialogue has come, for a caller that asks once and then leaves.
extension AdapterSession {
  /// The vehicle answers, and has said which PIDs it supports.
  public var isRunning: Bool { isConnected && stage == .running }

  /// Everything that is asked once (VIN, calibrations, their verification numbers, names of ECUs) was asked: it is
  /// answered, refused, or not supported.
  public var hasIdentified: Bool { isRunning && jobs & Job.identification == 0 }

  /// The trouble codes were asked for since the connection or since they were cleared, and the freeze frames with them.
  public var hasReadCodes: Bool { isRunning && clearing == nil && jobs & (Job.codes | Job.freezeFrame.bit) == 0 }
}
