/// What became of one record of a batch.
public enum IngestOutcome: Hashable, Sendable {
  /// It is kept, through kill -9 and power cuts.
  case stored
  /// It was there already; what is there stays.
  case duplicate
  /// It was there already, with a worse time: `timestamp` and `timeQuality` are now this copy's.
  case improved
  case refused(RecordRefusal)
}

/// Who brings records.
public enum IngestSource: Equatable, Sendable {
  /// A gateway with its key: records of another `gatewayId`, or of vehicles that are not its own, are refused.
  case gateway(Gateway)
  /// An operator's import.
  case trusted
  /// A broker that has checked which vehicle its clients write as; `gatewayId` and `vin` are what they say.
  case broker
}
