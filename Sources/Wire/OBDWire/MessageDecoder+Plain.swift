// Most polled values are a single unsigned number: engine speed, coolant temperature, load. They are read without the
// table of signals.
extension MessageDecoder {
  /// Reads a PID that is one plain number.
  ///
  /// - Returns: `false` if the PID is more than that.
  @inline(__always)
  mutating func plainParameter<H: ReplyHandler & ~Copyable>(
    _ parameter: UInt8, data: Span<UInt8>, slot: Int, origin: Origin, into handler: inout H
  ) -> Bool {
    let row = plain[Int(parameter)]
    guard row.width == data.count, row.width > 0 else { return false }
    // If the ECU reported its own scalings, they may affect this PID.
    if row.isRescaled, knowledge[slot].address == origin.ecu { return false }
    let raw = row.width == 1 ? UInt16(data[0]) : UInt16(data[0]) << 8 | UInt16(data[1])
    handler.reading(row.reading(of: parameter, raw, origin: origin))
    return true
  }
}

/// A PID whose answer is one unsigned number of one or two bytes that is always present.
struct PlainParameter: BitwiseCopyable {
  var factor = 1.0
  var offset = 0.0
  var signal = SignalID(rawValue: 0)
  /// Number of bytes; 0 if the PID is of another kind.
  var width: UInt8 = 0
  /// Whether PID 4F or 50 may change its full scale.
  var isRescaled = false

  init() {}

  init(_ row: SignalDefinition, row index: Int, length: Int) {
    guard row.kind == .number, row.encoding == .unsigned, row.bitOffset == 0, Int(row.bitLength) == 8 * length,
      length == 1 || length == 2, row.supportBit == SignalDefinition.noBit,
      row.variantBit == SignalDefinition.noBit, row.nullAtOrBelow == -.infinity, row.nullAtOrAbove == .infinity
    else { return }
    isRescaled = row.rescale != .none
    factor = row.factor
    offset = row.offset
    signal = SignalID(rawValue: UInt16(truncatingIfNeeded: index))
    width = UInt8(truncatingIfNeeded: length)
  }

  /// Returns the reading for an answer of service 01.
  @inline(__always)
  func reading(of parameter: UInt8, _ raw: UInt16, origin: Origin) -> Reading {
    Reading(
      origin: origin, signal: signal, service: 0x01, identifier: UInt16(parameter),
      value: Double(word: raw) * factor + offset)
  }
}
