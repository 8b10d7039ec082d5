extension SignalDefinition {
  /// The lowest and the highest value that the bits can represent, in the unit of the signal. A scaling that an ECU has
  /// set with PID 4F or 50 is not considered. `nil` for flags, enumerations and values without bits (service 0).
  public var bitRange: (low: Double, high: Double)? {
    guard kind == .number, service != 0 else { return nil }
    let isSigned = encoding == .signed || encoding == .signedLittleEndian
    var codes = 1.0
    var bit: UInt8 = 0
    while bit < bitLength {
      codes *= 2
      bit &+= 1
    }
    let first = (isSigned ? -codes / 2 : 0) * factor + offset
    let last = (isSigned ? codes / 2 - 1 : codes - 1) * factor + offset
    return first < last ? (first, last) : (last, first)
  }

  /// The range ``bitRange`` without the values at either end that mean "no value"; `nil` if ``bitRange`` is `nil`.
  public var range: (low: Double, high: Double)? {
    guard let all = bitRange else { return nil }
    let step = factor.magnitude
    return (
      nullAtOrBelow >= all.low ? nullAtOrBelow + step : all.low,
      nullAtOrAbove <= all.high ? nullAtOrAbove - step : all.high
    )
  }
}
