import Foundation

/// The fenced blocks and links of a Markdown file.
///
/// The info string of a block of commands is the ``Place`` where a test runs them. Another test rejects the blocks in
/// ``unknown``. A block whose info string ends in `output` directly after a block of commands is the
/// exact output of those commands.
public struct MarkdownBlocks {
  /// The places where the commands of a block run. The raw value is the info string of such blocks.
  public enum Place: String, Sendable, CaseIterable {
    /// The project's folder. The whole block is one script (`DocumentationTests`).
    case project = "sh"
    /// A separate Debian with the packages, booted by systemd (`GuideTests`, by `make test-packages`).
    case machine = "sh machine"
    /// Builds, and measurements that take minutes or hours. Only `make test`, which runs `scripts/run.sh`, and `make
    /// deb`, which `make test-packages` runs, are executed. Of all others, `make -n` checks that the target exists and
    /// that it uses the variables (`DocumentationTests`).
    case make = "sh make"
    /// A compilation for a microcontroller, which takes long. It runs once, together with other platforms
    /// (`EmbeddedTests`).
    case walled = "sh walled"
    /// A folder for each page, see ``DocumentedCommands`` (`ScratchCommandsTests`).
    case scratch = "sh scratch"
    /// A folder for each page, on a machine with a plugged-in adapter and a vehicle (`VehicleCommandsTests`).
    case vehicle = "sh vehicle"
    /// A folder for each page, on a machine with a fleet store at the address that the page shows
    /// (`StoreCommandsTests`).
    case store = "sh store"
    /// A folder for each page, on a machine with a RabbitMQ node (`BrokerCommandsTests`).
    case rabbitmq = "sh rabbitmq"
  }

  public struct Command: Equatable, Sendable {
    /// Line number of the opening fence, from 1.
    public let line: Int
    public let place: Place
    public let script: String
    public var output: String?

    public init(line: Int, place: Place, script: String, output: String? = nil) {
      (self.line, self.place, self.script, self.output) = (line, place, script, output)
    }
  }

  public private(set) var commands: [Command] = []
  /// Info strings that begin like those of commands but are the name of no place, each with its line number.
  public private(set) var unknown: [String] = []
  /// The texts of all JSON blocks.
  public private(set) var json: [String] = []
  /// An inline link to a file of the project.
  public struct Link: Equatable, Sendable {
    /// Path of the file, relative to the page; empty for the page itself.
    public let path: String
    /// The anchor of a heading in that file; `nil` if the link has none.
    public let fragment: String?

    public init(path: String, fragment: String? = nil) { (self.path, self.fragment) = (path, fragment) }
  }

  public private(set) var links: [Link] = []
  /// The anchors of all headings, as GitHub generates them.
  public private(set) var anchors: Set<String> = []

  public init(_ markdown: String) {
    var fence: (heading: [Substring], line: Int, text: String)?
    for (index, line) in markdown.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let open = fence {
        if line == "```" {
          add(open.heading, line: open.line, text: open.text)
          fence = nil
        } else {
          fence?.text += line + "\n"
        }
      } else if line.hasPrefix("```") {
        fence = (line.dropFirst(3).split(separator: " "), index + 1, "")
      } else {
        links += Self.links(in: line)
        addAnchor(of: line)
      }
    }
  }

  /// Returns the commands for one place.
  public func commands(_ place: Place) -> [Command] { commands.filter { $0.place == place } }

  private mutating func add(_ heading: [Substring], line: Int, text: String) {
    if let place = Place(rawValue: heading.joined(separator: " ")) {
      commands.append(Command(line: line, place: place, script: text))
    } else if heading.isEmpty || ["sh", "bash", "shell", "console"].contains(heading[0]) {
      unknown.append("\(line): \(heading.joined(separator: " "))")
    } else if heading.last == "output", !commands.isEmpty {
      commands[commands.count - 1].output = text
    } else if heading == ["json"] {
      json.append(text)
    }
  }

  /// Returns the links in a line, which have the format `[text](target#fragment "title")`. Links to other sites are
  /// left out.
  private static func links(in line: Substring) -> [Link] {
    line.components(separatedBy: "](").dropFirst().compactMap { rest in
      guard let end = rest.firstIndex(of: ")") else { return nil }
      let target = rest[..<end].prefix { $0 != " " }
      guard !target.isEmpty, !target.contains("://") else { return nil }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      return Link(path: String(parts[0]), fragment: parts.count > 1 ? String(parts[1]) : nil)
    }
  }

  /// If a line is a heading, adds its anchor: its text in lower case, without punctuation, with `-` for spaces. If
  /// several headings have the same text, the second anchor ends in `-1`, the third in `-2`.
  private mutating func addAnchor(of line: Substring) {
    let level = line.prefix { $0 == "#" }.count
    guard (1...6).contains(level), line.dropFirst(level).first == " " else { return }
    // If the heading is a link, its anchor contains only the text of the link.
    let parts = line.dropFirst(level + 1).components(separatedBy: "](")
    let text = ([parts[0]] + parts.dropFirst().map { $0.drop { $0 != ")" }.dropFirst() }.map(String.init)).joined()
    let name = String(
      text.lowercased().compactMap { character in
        if character == " " { return "-" }
        return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
      })
    var anchor = name
    var number = 0
    while !anchors.insert(anchor).inserted {
      number += 1
      anchor = "\(name)-\(number)"
    }
  }
}
