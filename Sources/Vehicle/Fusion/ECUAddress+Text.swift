import OBDWire

extension ECUAddress {
  /// The address as text for records, for example `7E8`, `18DAF110` or `10`; empty if the reply had no header.
  public var text: String { kind == .unknown ? "" : String(hexadecimal: value, digits: digitCount) }
}
