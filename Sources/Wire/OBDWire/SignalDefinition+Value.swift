extension SignalDefinition {
  /// Whether an answer contains this value. Its support bit must be 1, the variant bit must select this meaning of the
  /// bits, and the component that the value describes must exist.
  @inline(__always)
  func applies(to data: Span<UInt8>) -> Bool {
    if supportBit & variantBit & zeroIsAbsentBeside == Self.noBit { return true }
    return conditionsHold(data)
  }

  private func conditionsHold(_ data: Span<UInt8>) -> Bool {
    if supportBit != Self.noBit, !Self.bit(Int(supportBit), of: data) { return false }
    if zeroIsAbsentBeside != Self.noByte, Int(zeroIsAbsentBeside) < data.count, data[Int(zeroIsAbsentBeside)] != 0,
      raw(in: data) == 0
    {
      return false
    }
    return variantBit == Self.noBit || Self.bit(Int(variantBit), of: data) == variantValue
  }

  /// Returns the value; `nil` if the data end before its last bit. A scaling that the ECU has set with PID 4F or 50 is
  /// not considered.
  @inline(__always)
  func value(in data: Span<UInt8>) -> Double? {
    let offset = Int(bitOffset)
    let length = Int(bitLength)
    guard offset + length <= data.count << 3 else { return nil }
    let byte = offset >> 3
    if encoding == .unsigned, offset & 7 == 0 {
      if length == 8 { return Double(word: UInt16(data[byte])) * factor + self.offset }
      if length == 16 {
        return Double(word: UInt16(data[byte]) << 8 | UInt16(data[byte + 1])) * factor + self.offset
      }
    }
    return generalValue(in: data)
  }

  /// Returns the bits as an unsigned number; 0 if the data end before the last bit.
  private func raw(in data: Span<UInt8>) -> UInt64 {
    guard Int(bitOffset) + Int(bitLength) <= data.count << 3 else { return 0 }
    return isLittleEndian ? littleEndianBits(data) : bits(data)
  }

  private func generalValue(in data: Span<UInt8>) -> Double {
    let raw = raw(in: data)
    // Number of bits above the value in the 64-bit number. The value's highest bit is its sign.
    let above = UInt64(low: 64 - UInt32(bitLength))
    let isSigned = encoding == .signed || encoding == .signedLittleEndian
    if isSigned { return Double(Int64(bitPattern: raw &<< above) &>> Int64(bitPattern: above)) * factor + offset }
    let whole = Int64(bitPattern: raw)
    if whole >= 0 { return Double(whole) * factor + offset }
    // The number does not fit into an Int64, so halve it. Its lowest bit is kept in the half, so that the result is
    // rounded only once.
    return Double(Int64(bitPattern: raw &>> 1 | raw & 1)) * 2 * factor + offset
  }

  private var isLittleEndian: Bool { encoding == .unsignedLittleEndian || encoding == .signedLittleEndian }

  private func bits(_ data: Span<UInt8>) -> UInt64 {
    var value: UInt64 = 0
    var index = Int(bitOffset)
    let end = index + Int(bitLength)
    while index < end {
      let inByte = index & 7
      let take = min(8 - inByte, end - index)
      let chunk = (data[index >> 3] << UInt8(inByte)) >> UInt8(8 - take)
      value = value &<< UInt64(count: take) | UInt64(byte: chunk)
      index += take
    }
    return value
  }

  /// Reads bytes, the least significant one first, as OBDb's `blsb` specifies. Only whole bytes are supported.
  private func littleEndianBits(_ data: Span<UInt8>) -> UInt64 {
    guard bitOffset & 7 == 0, bitLength & 7 == 0 else { return bits(data) }
    var value: UInt64 = 0
    var index = Int(bitOffset >> 3) + Int(bitLength >> 3) - 1
    while index >= Int(bitOffset >> 3) {
      value = value &<< 8 | UInt64(byte: data[index])
      index -= 1
    }
    return value
  }

  private static func bit(_ index: Int, of data: Span<UInt8>) -> Bool {
    guard index >> 3 < data.count else { return false }
    return data[index >> 3] >> UInt8(7 - index & 7) & 1 == 1
  }
}
