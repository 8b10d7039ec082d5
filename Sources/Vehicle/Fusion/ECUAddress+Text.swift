import OBDWire

extension ECUAddress {
  /// The address in the form used in records: `7E8`, `18DAF110` or `10`; empty without a header.
  public var text: String { kind == .unknown ? "" : String(hexadecimal: value, digits: digitCount) }
}
