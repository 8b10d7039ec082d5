/// Reads the lines of a text file one after another, and divides them into words.
struct ModelText {
  private let bytes: ModelBytes
  /// The offset of the next line.
  private(set) var offset: Int
  /// The number of the current line, from 1; 0 before the first.
  private(set) var number = 0
  private var line: [UInt8] = []
  /// The words of the current line.
  private(set) var words: [Range<Int>] = []

  init(_ bytes: ModelBytes, from offset: Int = 0) { (self.bytes, self.offset) = (bytes, offset) }

  var place: String { "line \(number)" }

  /// Reads the next line. Lines end with LF, CR, or both.
  ///
  /// - Parameter joins: whether a line that ends with a backslash continues in the next line.
  /// - Returns: `false` at the end of the file.
  /// - Throws: `malformed` if a line contains a byte that is not text.
  mutating func next(joins: Bool = false) throws(ModelError) -> Bool {
    line.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    guard offset < bytes.count else { return false }
    number += 1
    while offset < bytes.count {
      let byte = try bytes.byte(at: offset)
      offset += 1
      guard byte != 0x0A, byte != 0x0D else {
        if byte == 0x0D, offset < bytes.count, try bytes.byte(at: offset) == 0x0A { offset += 1 }
        guard joins, line.last == UInt8(ascii: "\\") else { break }
        line[line.count - 1] = 0x20
        continue
      }
      guard byte >= 0x20 || byte == 0x09, byte != 0x7F else {
        throw ModelError(.malformed, place, "expected text, found byte \(byte)")
      }
      guard line.count < ModelLimits.lineBytes else {
        throw ModelError(.tooLarge, place, "expected at most \(ModelLimits.lineBytes) bytes in a line")
      }
      line.append(byte)
    }
    var start: Int?
    for index in line.indices {
      if line[index] == 0x20 || line[index] == 0x09 {
        if let first = start { words.append(first..<index) }
        start = nil
      } else if start == nil {
        start = index
      }
    }
    if let start { words.append(start..<line.count) }
    return true
  }

  func text(_ word: Int) -> String { String(decoding: line[words[word]], as: UTF8.self) }

  func word(_ word: Int, is text: StaticString) -> Bool {
    guard words[word].count == text.utf8CodeUnitCount else { return false }
    for (index, byte) in line[words[word]].enumerated() where byte != (unsafe text.utf8Start[index]) { return false }
    return true
  }

  /// Returns a word as a number, which may be infinite or NaN.
  ///
  /// - Throws: `malformed` if the word is not a number, or if the line has no such word.
  func double(_ word: Int) throws(ModelError) -> Double {
    guard word < words.count else {
      throw ModelError(.malformed, place, "expected a number, found the end of the line")
    }
    if let number = Self.plain(line[words[word]]) { return number }
    // Programs for Windows write numbers that are infinite or undefined as 1.#INF or 1.#IND.
    if text(word).drop(while: { $0 == "-" }).hasPrefix("1.#") { return .nan }
    guard let number = Double(text(word)) else {
      throw ModelError(.malformed, place, "expected a number, found \(shown(word))")
    }
    return number
  }

  func shown(_ word: Int) -> String { "\"\(text(word).prefix(40))\"" }

  /// Converts a decimal number of at most 15 digits without an exponent; `nil` for other texts. A `Double` represents
  /// these digits exactly, before they are divided by a power of ten.
  private static func plain(_ text: ArraySlice<UInt8>) -> Double? {
    var (mantissa, digits, scale, isFraction): (UInt64, Int, Int, Bool) = (0, 0, 0, false)
    var index = text.startIndex
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative || text.first == UInt8(ascii: "+") { index += 1 }
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else {
        guard (0x30...0x39).contains(byte), digits < 15 else { return nil }
        mantissa = mantissa * 10 + UInt64(byte - 0x30)
        digits += 1
        if isFraction { scale += 1 }
      }
      index += 1
    }
    guard digits > 0 else { return nil }
    let value = Double(mantissa) / Self.powers[scale]
    return isNegative ? -value : value
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Returns the parts of a word that are separated by slashes, as integers. An empty part is `nil`.
  ///
  /// - Throws: `malformed` if a part is not an integer, or if there are more than three parts.
  func integers(_ word: Int) throws(ModelError) -> (Int?, Int?, Int?, count: Int) {
    var (parts, count): ((Int?, Int?, Int?), Int) = ((nil, nil, nil), 0)
    var (value, isNegative, digits) = (0, false, 0)
    func wrong() -> ModelError {
      ModelError(.malformed, place, "expected a corner such as 1/2/3, found \(shown(word))")
    }
    var index = words[word].lowerBound
    while index <= words[word].upperBound {
      if index == words[word].upperBound || line[index] == UInt8(ascii: "/") {
        guard digits > 0 || (!isNegative && count > 0) else { throw wrong() }
        let part = digits > 0 ? (isNegative ? -value : value) : nil
        switch count {
        case 0: parts.0 = part
        case 1: parts.1 = part
        case 2: parts.2 = part
        default: throw wrong()
        }
        (value, isNegative, digits, count) = (0, false, 0, count + 1)
      } else if line[index] == UInt8(ascii: "-"), digits == 0, !isNegative {
        isNegative = true
      } else {
        guard (0x30...0x39).contains(line[index]), digits < 15 else { throw wrong() }
        value = value * 10 + Int(line[index] - 0x30)
        digits += 1
      }
      index += 1
    }
    return (parts.0, parts.1, parts.2, count)
  }
}
