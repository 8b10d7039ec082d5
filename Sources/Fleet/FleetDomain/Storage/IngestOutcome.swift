/// The result of one record of a batch.
public enum IngestOutcome: Hashable, Sendable {
  /// The record was stored and is durable: it survives a kill of the process and a power cut.
  case stored
  /// The record was already stored. Nothing changed.
  case duplicate
  /// The record was already stored with a time of lower quality, which was replaced by the `timestamp` and
  /// `timeQuality` of this copy.
  case improved
  case refused(RecordRefusal)
}

/// The sender of records.
public enum IngestSource: Equatable, Sendable {
  /// A gateway with its key. Records that have another `gatewayId`, or that belong to a vehicle for which it may not
  /// send records, are rejected.
  case gateway(Gateway)
  /// An operator who imports records.
  case trusted
  /// A broker, which has checked for which vehicles its clients may publish. `gatewayId` and `vin` are not checked.
  case broker
}
