import OBDWire

extension ECUAddress {
  /// As records write it: `7E8`, `18DAF110`, `10`; empty where no header was printed.
  public var text: String { kind == .unknown ? "" : String(hexadecimal: value, digits: digitCount) }
}
