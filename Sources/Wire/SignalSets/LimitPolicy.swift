/// The handling of values outside the range (`min`…`max`) in their signal set.
///
/// OBDb's tools replace such a value by the limit: a battery age of 3,806 days becomes 1825, and an angle of −0.06°
/// read as unsigned becomes 50. Some of these values are correct and the range is too narrow; for others the scaling is
/// wrong. The answer does not show which.
public enum LimitPolicy: Equatable, Sendable {
  /// The value is missing, because the set excludes it and the ECU did not send the limit. Only explicit limits apply,
  /// with a tolerance of half a step. A `max` of 0, or not above `min`, is ignored.
  case absent
  /// The value as the bytes and the scaling give it.
  case asSent
  /// The limit, as in OBDb's tools, for comparison with them. The default of `min` is 0. A `max` not above `min` is
  /// ignored.
  case limited
}
