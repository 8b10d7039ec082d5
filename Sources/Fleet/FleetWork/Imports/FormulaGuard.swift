/// Prevents spreadsheets from evaluating texts in CSV files as formulas.
///
/// Spreadsheets evaluate a cell that begins with `=`, `+`, `-` or `@`. In languages with a decimal comma, a spreadsheet
/// may divide one cell of the file into several: at each `;`, although commas separate the cells of the file, and at
/// each line break. Therefore an apostrophe is written wherever a spreadsheet could see the beginning of a formula. To
/// make this reversible, an apostrophe is also added if there are already apostrophes before the formula.
///
///     FormulaGuard.guarded("+49 170 1;=1+1")  // '+49 170 1;'=1+1
public enum FormulaGuard {
  /// The beginnings of formulas. In some languages, spreadsheets also evaluate the full-width forms.
  private static let formulas: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]
  /// Characters that spreadsheets ignore at the beginning of a text.
  private static let ignored: Set<Unicode.Scalar> = ["\t", "\r", "\n"]
  private static let separators: Set<Unicode.Scalar> = [";", "\r", "\n"]
  private static let mark: Unicode.Scalar = "'"

  /// Returns a text with an apostrophe wherever a spreadsheet could evaluate a formula.
  public static func guarded(_ text: String) -> String {
    changed(text) { marks, result in
      result.append(mark)
      result.append(contentsOf: marks)
    }
  }

  /// Returns the original text of a text that ``guarded(_:)`` returned.
  public static func unguarded(_ text: String) -> String {
    changed(text) { marks, result in result.append(contentsOf: marks.dropFirst()) }
  }

  /// Whether a text contains no possible formula. This is a fast check for most texts.
  private static func isPlain(_ text: String) -> Bool {
    switch text.utf8.first {
    case nil: return true
    case UInt8(ascii: "=")?, UInt8(ascii: "+")?, UInt8(ascii: "-")?, UInt8(ascii: "@")?, UInt8(ascii: "'")?, 0x09?,
      0x0A?, 0x0D?, 0xEF?:
      return false
    default:
      return !text.utf8.contains { $0 == UInt8(ascii: ";") || $0 == 0x0A || $0 == 0x0D }
    }
  }

  /// Replaces the run of apostrophes, which may be empty, before each possible formula in a text.
  ///
  /// - Parameter replace: appends the new apostrophes; its first parameter contains the old ones.
  private static func changed(
    _ text: String, _ replace: (Substring.UnicodeScalarView, inout String.UnicodeScalarView) -> Void
  ) -> String {
    guard !isPlain(text) else { return text }
    let scalars = text.unicodeScalars
    var result = String.UnicodeScalarView()
    var index = scalars.startIndex
    while index < scalars.endIndex {
      // A cell begins here.
      let rest = scalars[index...]
      let formula = rest.firstIndex { $0 != mark } ?? rest.endIndex
      let marks = rest[..<formula]
      if formula < rest.endIndex,
        formulas.contains(rest[formula]) || index == scalars.startIndex && ignored.contains(rest[formula])
      {
        replace(marks, &result)
      } else {
        result.append(contentsOf: marks)
      }
      // Continue after the next separator.
      let next = rest[formula...].firstIndex { separators.contains($0) }.map { rest.index(after: $0) } ?? rest.endIndex
      result.append(contentsOf: rest[formula..<next])
      index = next
    }
    return String(result)
  }
}
