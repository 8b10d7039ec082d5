/// Receives the text lines that describe a plan.
public protocol PlanWriter: ~Copyable {
  /// Receives one text line, in ASCII, without its line end.
  mutating func line(_ text: Span<UInt8>)
}

extension PollPlan {
  /// Writes a description of the plan, with one text line for each request, ordered by period:
  ///
  ///     010C0D05 every 100 ms, ECUs 03, 2 frames
  ///     22404C every 30000 ms, addressed
  ///
  /// `ECUs` is a hexadecimal bit mask; bit n stands for the ECU with index n in ``VehicleCapabilities``.
  public func describe<Writer: PlanWriter & ~Copyable>(into writer: inout Writer) {
    for index in 0..<count {
      var text = TextLine()
      let planned = requests[index]
      planned.request.forEachByte { text.append(hex: $0) }
      if planned.period == 0 {
        text.append(" always")
      } else {
        text.append(" every ")
        text.append(decimal: planned.period / 1_000_000)
        text.append(" ms")
      }
      if planned.addressed != nil {
        text.append(", addressed")
      } else {
        text.append(", ECUs ")
        text.append(hex: planned.ecus)
      }
      if planned.suffix > 0 {
        text.append(planned.suffix == 1 ? ", 1 frame" : ", ")
        if planned.suffix > 1 {
          text.append(decimal: Int64(planned.suffix))
          text.append(" frames")
        }
      }
      if planned.isAbsent { text.append(", absent") }
      writer.line(text.bytes)
    }
  }
}

/// A buffer of 96 bytes for one text line. Longer text is truncated.
struct TextLine: ~Copyable {
  private var storage = InlineArray<96, UInt8>(repeating: 0)
  private var count = 0

  var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: count) }
  }

  mutating func append(_ byte: UInt8) {
    guard count < 96 else { return }
    storage[count] = byte
    count += 1
  }

  mutating func append(_ text: StaticString) {
    for i in 0..<text.utf8CodeUnitCount { append(unsafe text.utf8Start[i]) }
  }

  mutating func append(hex byte: UInt8) {
    append(Command.digit(byte >> 4))
    append(Command.digit(byte & 0xF))
  }

  mutating func append(decimal value: Int64) {
    if value >= 10 { append(decimal: value / 10) }
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }
}
