import Foundation

/// The fenced blocks and links of a Markdown file.
///
/// - A block headed `sh` is run; `sh norun` is only shown.
/// - A block whose heading ends in `output`, next after a run one, is what that one prints: exactly.
struct MarkdownBlocks {
  struct Command: Equatable {
    /// Line number of the opening fence, from 1.
    let line: Int
    let script: String
    var output: String?
  }
  private(set) var commands: [Command] = []
  /// Commands that are shown, run or not.
  private(set) var shown: [String] = []
  /// Targets of inline links.
  private(set) var links: [String] = []

  init(_ markdown: String) {
    var fence: (heading: [Substring], line: Int, text: String)?
    for (index, line) in markdown.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let open = fence {
        if line == "```" {
          take(open.heading, line: open.line, text: open.text)
          fence = nil
        } else {
          fence?.text += line + "\n"
        }
      } else if line.hasPrefix("```") {
        fence = (line.dropFirst(3).split(separator: " "), index + 1, "")
      } else {
        links += Self.links(in: line)
      }
    }
  }

  private mutating func take(_ heading: [Substring], line: Int, text: String) {
    if heading.first == "sh" { shown.append(text) }
    if heading == ["sh"] {
      commands.append(Command(line: line, script: text))
    } else if heading.last == "output", !commands.isEmpty {
      commands[commands.count - 1].output = text
    }
  }

  /// `[text](target)`, without the title and the fragment.
  private static func links(in line: Substring) -> [String] {
    line.components(separatedBy: "](").dropFirst().compactMap { rest in
      guard let end = rest.firstIndex(of: ")") else { return nil }
      let target = rest[..<end].prefix { $0 != "#" && $0 != " " }
      return target.isEmpty || target.contains("://") ? nil : String(target)
    }
  }
}
