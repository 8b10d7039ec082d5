import JSONText

/// An error in the list of faults (`--faults`): its position, the invalid item, and the expected item.
public struct FaultError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Number of characters that precede the invalid item.
  public var offset: Int
  /// The invalid item, and the expected item.
  public var reason: String

  /// The error as one text line: `character 8: "promtLost": no such fault; did you mean "promptLost"?`.
  public var description: String { "character \(offset + 1): \(reason)" }
}

extension Fault {
  /// Parses a list such as `nul=0.01,echoDouble,garbage=100@12s,silent@30s..60s,promptLost@5s,noData=0C`.
  ///
  ///     list = item *("," item)
  ///     item = kind ["=" argument] ["@" when]
  ///     when = time [".." [time]]
  ///     time = number ["ms" | "s" | "min"]        default: seconds
  ///
  /// - Throws: ``FaultError`` for the first invalid item.
  public static func list(_ text: String) throws(FaultError) -> [Fault] {
    var faults: [Fault] = []
    var offset = 0
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let trimmed = item.drop { $0 == " " }
      let at = offset + (item.count - trimmed.count)
      offset += item.count + 1
      if trimmed.isEmpty, text.allSatisfy({ $0 == " " }) { break }
      guard !trimmed.isEmpty else { throw FaultError(offset: at, reason: "expected a fault between two commas") }
      do {
        faults.append(try Fault(trimmed))
      } catch {
        throw FaultError(offset: at, reason: "\"\(trimmed)\": \(error.reason)")
      }
    }
    return faults
  }

  private struct Mistake: Error { var reason: String }

  private init(_ item: Substring) throws(Mistake) {
    let halves = item.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let kind = Kind(rawValue: String(parts[0])) else { throw Self.unknown(String(parts[0])) }
    self.init(
      kind: kind, number: 1, duration: .zero, bytes: [], text: "",
      window: halves.count > 1 ? try Self.window(halves[1]) : .always)
    try setArgument(parts.count > 1 ? parts[1] : nil)
    if kind.rule.timing == .moment, window == .always {
      throw Mistake(reason: "say when: \(item)@12s")
    }
  }

  private mutating func setArgument(_ argument: Substring?) throws(Mistake) {
    let usage = Mistake(reason: "expected \(kind.syntax)")
    switch (kind.rule.argument, argument) {
    case (.none, nil), (.probability, nil): return
    case (.probability, .some(let text)):
      guard let value = Double(text), (0...1).contains(value) else {
        throw Mistake(reason: "expected a probability from 0 to 1 after \(kind.rawValue)=")
      }
      number = value
    case (.count(_, .some(let fallback)), nil): number = Double(fallback)
    case (.count(let range, _), .some(let text)):
      guard let value = Int(text), range.contains(value) else {
        throw Mistake(
          reason: "expected a whole number from \(range.lowerBound) to \(range.upperBound) after \(kind.rawValue)=")
      }
      number = Double(value)
    case (.time(.some(let fallback)), nil): duration = fallback
    case (.time, .some(let text)): duration = try Self.time(text)
    case (.request, .some(let text)): bytes = try Self.hexadecimal(text)
    case (.requestAndByte, .some(let text)):
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, let code = HexDigits.bytes(parts[1]), code.count == 1 else { throw usage }
      bytes = try Self.hexadecimal(parts[0])
      number = Double(code[0])
    case (.requestAndTime(let fallback), .some(let text)):
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      bytes = try Self.hexadecimal(parts[0])
      duration = parts.count > 1 ? try Self.time(parts[1]) : fallback
    case (.text, .some(let text)) where !text.isEmpty: self.text = text.uppercased()
    default: throw usage
    }
  }

  private static func hexadecimal(_ text: Substring) throws(Mistake) -> [UInt8] {
    // An 11-bit identifier has three digits. A zero is put before it, because bytes have two digits each.
    guard let bytes = HexDigits.bytes(text.utf8.count % 2 == 1 ? "0" + text : text[...]), !bytes.isEmpty else {
      throw Mistake(reason: "expected hexadecimal digits, found \"\(text)\"")
    }
    return bytes
  }

  private static func window(_ text: Substring) throws(Mistake) -> Window {
    guard let dots = text.firstRange(of: "..") else { return .from(try time(text)) }
    let start = try time(text[..<dots.lowerBound])
    let rest = text[dots.upperBound...]
    guard !rest.isEmpty else { return .during(start, nil) }
    let end = try time(rest)
    guard end > start else { throw Mistake(reason: "the time ends before it begins: \(text)") }
    return .during(start, end)
  }

  private static func time(_ text: Substring) throws(Mistake) -> Duration {
    let units: [(String, Double)] = [("ms", 0.001), ("min", 60), ("s", 1), ("", 1)]
    for (unit, scale) in units where text.hasSuffix(unit) {
      guard let value = Double(text.dropLast(unit.count)), value >= 0, value <= 1e7 else { break }
      return .milliseconds((value * scale * 1000).rounded())
    }
    throw Mistake(reason: "expected a time such as 500ms, 12s or 2min, found \"\(text)\"")
  }

  private static func unknown(_ name: String) -> Mistake {
    if let near = nearestName(to: name, among: Kind.allCases.map(\.rawValue)) {
      return Mistake(reason: "no such fault; did you mean \"\(near)\"?")
    }
    return Mistake(reason: "no such fault; known: " + Kind.allCases.map(\.rawValue).joined(separator: " "))
  }
}
