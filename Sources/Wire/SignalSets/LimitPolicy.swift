/// How a value is treated if it is outside the range (`min`…`max`) that the signal set states for its signal.
///
/// OBDb's tools replace such a value by the limit that it exceeds: a battery age of 3,806 days becomes 1825, and an
/// angle of −0.06° that is read as unsigned becomes 50. Some of these values are correct, and the range is too narrow.
/// For others, the scaling is wrong. The ECU's answer does not show which is the case.
public enum LimitPolicy: Equatable, Sendable {
  /// The value is treated as missing. The signal set excludes this value, and the limit, which OBDb's tools would
  /// report instead, was not sent by the ECU. A value at most half a step outside a limit is kept. Only limits that the
  /// signal set states apply. If `max` is not above `min` (0 if missing), neither limit applies.
  case absent
  /// The value is kept unchanged, as computed from the answer's bytes.
  case asSent
  /// The value is replaced by the limit that it exceeds, as in OBDb's tools, for comparison with them. If `min` is
  /// missing, it is 0. If `max` is missing or not above `min`, the value is kept unchanged.
  case limited
}
