import Telemetry

extension RecordScanner {
  /// Whether a scanned value is one of the values that a rule allows.
  ///
  /// - Parameter range: the range of the scanned value; for a string, including its quotes.
  func allows(_ values: RecordField.Values, _ range: Range<Int>) -> Bool {
    let first = bytes[range.lowerBound]
    let isNumber = first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10
    switch values {
    case .number(let limits): return isNumber && isWithin(limits, range)
    case .integer(let limits): return isNumber && isWhole(range) && isWithin(limits, range)
    case .flag: return first == UInt8(ascii: "t") || first == UInt8(ascii: "f")
    case .text: return first == UInt8(ascii: "\"")
    case .code: return first == UInt8(ascii: "\"") || isNumber
    case .time: return first == UInt8(ascii: "\"") && Self.isTime(bytes.extracting(Self.inner(range)))
    case .identifier: return first == UInt8(ascii: "\"") && UUIDv7(bytes.extracting(Self.inner(range))) != nil
    case .texts: return isArray(of: UInt8(ascii: "\""), range)
    case .objects: return isArray(of: UInt8(ascii: "{"), range)
    case .object, .telemetryByECU: return first == UInt8(ascii: "{")
    }
  }

  static func isTime(_ text: Span<UInt8>) -> Bool {
    do throws(Timestamp.ParsingError) {
      return Timestamp.stated.contains(try Timestamp(parsing: text))
    } catch {
      return false
    }
  }

  /// Returns the range of a string without its quotes.
  private static func inner(_ range: Range<Int>) -> Range<Int> { (range.lowerBound + 1)..<(range.upperBound - 1) }

  private func isWhole(_ range: Range<Int>) -> Bool {
    for index in range.dropFirst() where bytes[index] &- UInt8(ascii: "0") >= 10 { return false }
    return true
  }

  private func isWithin(_ limits: ClosedRange<Double>, _ range: Range<Int>) -> Bool {
    // The usual case: only digits, and at most one decimal point.
    var (digits, decimals, index) = (UInt64(0), -1, range.lowerBound)
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index &+= 1 }
    guard range.upperBound &- index <= 16 else { return isLongWithin(limits, range) }
    while index < range.upperBound {
      let digit = bytes[index] &- UInt8(ascii: "0")
      if digit < 10 {
        digits = digits &* 10 &+ UInt64(digit)
        if decimals >= 0 { decimals &+= 1 }
      } else if bytes[index] == UInt8(ascii: ".") {
        decimals = 0
      } else {
        return isLongWithin(limits, range)
      }
      index &+= 1
    }
    var size = Double(digits)
    // Both numbers are exact in a Double, so their quotient is the Double nearest to the decimal number.
    if decimals > 0 { size /= Self.powers[decimals] }
    return RecordField.Values.isWithin(limits, isNegative ? -size : size)
  }

  private func isLongWithin(_ limits: ClosedRange<Double>, _ range: Range<Int>) -> Bool {
    number(range).map { RecordField.Values.isWithin(limits, $0) } ?? false
  }

  /// Returns the `Double` nearest to a scanned number; `nil` if it is not finite.
  func number(_ range: Range<Int>) -> Double? {
    let value = unsafe bytes.extracting(range).withUnsafeBufferPointer {
      unsafe Double(String(decoding: $0, as: UTF8.self))
    }
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The powers of 10 from 10⁰ to 10¹⁵, which a Double represents exactly.
  private static var powers: InlineArray<16, Double> {
    [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]
  }

  /// Whether a value is an array whose elements all begin with a certain byte.
  ///
  /// - Parameter opening: the first byte of every element.
  private func isArray(of opening: UInt8, _ range: Range<Int>) -> Bool {
    guard bytes[range.lowerBound] == UInt8(ascii: "[") else { return false }
    // The text is known to be valid JSON. At this level, an element may begin after the opening bracket and after each
    // comma.
    var (depth, isInString, mayBegin) = (0, false, true)
    for index in (range.lowerBound + 1)..<(range.upperBound - 1) {
      let byte = bytes[index]
      if isInString {
        isInString = byte != UInt8(ascii: "\"")
        continue
      }
      if byte <= 0x20 { continue }
      if depth == 0, mayBegin, byte != opening { return false }
      mayBegin = false
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0: mayBegin = true
      default: break
      }
    }
    return true
  }
}
