/// What becomes of a value outside the range (`min`…`max`) that its own set calls valid.
///
/// OBDb's tools show the limit instead of the value: a battery of 3,806 days is "1825", an angle of −0.06° read as
/// unsigned is "50". Some of these values are true and the range is too narrow, others are wrong and the scaling is:
/// which of the two, the answer does not say.
public enum LimitPolicy: Equatable, Sendable {
  /// No reading: the set says that the value cannot be, and a limit is not what the ECU sent. Only limits that the set
  /// writes count, half a step beyond them is rounding, and a `max` that is not above `min` (or 0) limits nothing.
  case absent
  /// The value as the bytes and the scaling give it.
  case asSent
  /// The limit, as OBDb's tools print it: for comparison with them. A `min` that is not written is 0, and nothing is
  /// limited where `max` is not above `min`.
  case limited
}
