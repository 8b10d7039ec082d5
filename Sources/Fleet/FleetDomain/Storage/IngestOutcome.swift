/// The result of one record of a batch.
public enum IngestOutcome: Hashable, Sendable {
  /// The record was stored and is durable: it survives kill -9 and power cuts.
  case stored
  /// The record was already stored, and nothing changed.
  case duplicate
  /// The record was already stored with a worse time. The `timestamp` and `timeQuality` of this copy replaced it.
  case improved
  case refused(RecordRefusal)
}

/// The sender of records.
public enum IngestSource: Equatable, Sendable {
  /// A gateway with its key. Records of another `gatewayId`, or of vehicles that it may not write as, are rejected.
  case gateway(Gateway)
  /// An operator who imports records.
  case trusted
  /// A broker that has checked the vehicle of its clients. `gatewayId` and `vin` are not checked.
  case broker
}
