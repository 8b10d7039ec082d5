/// The result of one record of a batch.
public enum IngestOutcome: Hashable, Sendable {
  /// It is durable: it survives kill -9 and power cuts.
  case stored
  /// It was already stored, and nothing changed.
  case duplicate
  /// It was already stored with a worse time, which this copy's `timestamp` and `timeQuality` have replaced.
  case improved
  case refused(RecordRefusal)
}

/// The sender of records.
public enum IngestSource: Equatable, Sendable {
  /// A gateway with its key. Records of another `gatewayId`, or of other vehicles, are refused.
  case gateway(Gateway)
  /// An operator's import.
  case trusted
  /// A broker that has checked the vehicle of its clients. `gatewayId` and `vin` are not checked.
  case broker
}
