import Testing

@testable import NMEAWire

/// The functions that read whole words may decline a field, but must never read one differently from those that read
/// byte by byte.
@Suite struct FieldCursorWordsTests {
  @Test func numbers_read_alike() {
    var text = RandomField(seed: 1)
    var taken = 0
    for _ in 0..<200_000 {
      let body = text.bytes(digits: 0...6, decimals: 0...6)
      var short = FieldCursor(body.span)
      guard let number = short.shortNumber() else { continue }
      taken += 1
      var long = FieldCursor(body.span)
      let expected = try? long.longNumber()
      let isSame = expected?.value == number.value && expected?.scale == number.scale && long.index == short.index
      #expect(isSame, "\(String(decoding: body, as: UTF8.self))")
    }
    #expect(taken > 50_000)
  }

  @Test func times_read_alike() {
    var text = RandomField(seed: 2)
    var taken = 0
    for _ in 0..<200_000 {
      let body = text.bytes(digits: 5...7, decimals: 0...8)
      var short = FieldCursor(body.span)
      guard let time = short.shortTime() else { continue }
      taken += 1
      var long = FieldCursor(body.span)
      let expected = try? long.longTime()
      #expect(expected == time && long.index == short.index, "\(String(decoding: body, as: UTF8.self))")
    }
    #expect(taken > 2_000)
  }

  @Test(arguments: [2, 3]) func angles_read_alike(wholeDegreeDigits: Int) {
    var text = RandomField(seed: 3)
    let limit = wholeDegreeDigits == 2 ? 90 : 180
    var taken = 0
    for _ in 0..<200_000 {
      let body = text.bytes(digits: wholeDegreeDigits + 2...wholeDegreeDigits + 2, decimals: 0...7, hemisphere: true)
      var short = FieldCursor(body.span)
      guard
        let angle = short.shortAngle(
          wholeDegreeDigits: wholeDegreeDigits, limit: limit, positive: 0x4E, negative: 0x53)
      else { continue }
      taken += 1
      var long = FieldCursor(body.span)
      let expected = try? long.longAngle(
        wholeDegreeDigits: wholeDegreeDigits, limit: limit, positive: 0x4E, negative: 0x53)
      let isSame =
        expected?.minutes.value == angle.minutes.value && expected?.minutes.scale == angle.minutes.scale
        && long.index == short.index
      #expect(isSame, "\(String(decoding: body, as: UTF8.self))")
    }
    #expect(taken > 2_000)
  }

  @Test(arguments: [("9000.0000,N,", true), ("9000.0001,N,", false), ("8959.9999,S,", true), ("8960.0000,S,", false)])
  func angle_at_its_limit_is_one_and_behind_it_is_none(text: String, isAngle: Bool) {
    let body = Array((text + "12345678*").utf8)
    var fields = FieldCursor(body.span)
    let angle = try? fields.longAngle(wholeDegreeDigits: 2, limit: 90, positive: 0x4E, negative: 0x53)
    #expect((angle != nil) == isAngle)
    var short = FieldCursor(body.span)
    let same = short.shortAngle(wholeDegreeDigits: 2, limit: 90, positive: 0x4E, negative: 0x53)
    #expect((same != nil) == isAngle)
  }

  @Test func lists_of_satellites_are_passed_as_one_looks_at_each_byte() {
    var text = RandomField(seed: 4)
    for _ in 0..<100_000 {
      let body = text.list()
      var fields = FieldCursor(body.span)
      let end = (try? fields.skipIntegers(12)) == nil ? nil : fields.index
      #expect(end == Self.end(of: body), "\(String(decoding: body, as: UTF8.self))")
    }
  }

  /// Returns the offset after the twelfth comma if all numbers before it have at most four digits and nothing else is
  /// there; otherwise `nil`.
  private static func end(of body: [UInt8]) -> Int? {
    var digits = 0
    var commas = 0
    for (index, byte) in body.enumerated() {
      switch byte {
      case 0x2C:
        commas += 1
        digits = 0
        if commas == 12 { return index + 1 }
      case 0x30...0x39:
        digits += 1
        if digits > 4 { return nil }
      default: return nil
      }
    }
    return nil
  }
}

/// Creates fields as receivers print them, sometimes with a byte that does not belong there.
private struct RandomField {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  private mutating func random(_ range: ClosedRange<Int>) -> Int {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return range.lowerBound + Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % range.count
  }

  private mutating func digits(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(0x30 + random(random(0...1) == 0 ? 0...9 : 0...5)) }
  }

  private mutating func damage(_ body: inout [UInt8]) {
    guard random(0...9) == 0 else { return }
    body[random(0...body.count - 1)] = UInt8(random(0...255))
  }

  mutating func bytes(digits: ClosedRange<Int>, decimals: ClosedRange<Int>, hemisphere: Bool = false) -> [UInt8] {
    var body = self.digits(random(digits))
    if random(0...4) > 0 { body += [0x2E] + self.digits(random(decimals)) }
    body.append(random(0...5) == 0 ? 0x2A : 0x2C)
    if hemisphere { body += [[0x4E, 0x53, 0x45, 0x2C][random(0...3)], 0x2C] }
    // Appends bytes after the text, so that whole words can be read; sometimes too few.
    body += self.digits(random(0...12)) + [0x2A]
    damage(&body)
    return body + [0x2A]
  }

  mutating func list() -> [UInt8] {
    var body: [UInt8] = []
    for _ in 0..<random(10...14) {
      body += digits([0, 2, 2, 2, 1, 3, 4, random(0...5)][random(0...7)])
      body.append(0x2C)
    }
    damage(&body)
    return body + Array("1.8,0.9,1.5*".utf8)
  }
}
