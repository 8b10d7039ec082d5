import Foundation

/// The fenced blocks and links of a Markdown file.
///
/// The heading of a block of commands says where they run: a ``Place``. Each is run by some test, or is found in
/// ``unknown``, which a test forbids. A block whose heading ends in `output`, next behind one of commands, is what those
/// print: exactly.
public struct MarkdownBlocks {
  /// Where the commands of a block run, by its heading.
  public enum Place: String, Sendable, CaseIterable {
    /// In the project's folder, the whole block as one script (`DocumentationTests`).
    case project = "sh"
    /// On a Debian of its own that systemd has booted, beside the packages (`GuideTests`, by `make test-packages`).
    case machine = "sh machine"
    /// Builds, and measurements that take minutes or hours: whether there is such a target, and takes these variables, is
    /// asked of `make -n` (`DocumentationTests`). Really run are `make test` itself, by it `scripts/run.sh`, and
    /// `make deb`, by `make test-packages`.
    case make = "sh make"
    /// A compilation for a microcontroller, which takes a while: run once, together with other machines
    /// (`EmbeddedTests`).
    case walled = "sh walled"
    /// In a folder of the page's own, see ``DocumentedCommands`` (`ScratchCommandsTests`).
    case scratch = "sh scratch"
    /// The same with a plugged-in adapter and a vehicle (`VehicleCommandsTests`).
    case vehicle = "sh vehicle"
    /// The same, beside a fleet store at the address that is shown (`StoreCommandsTests`).
    case store = "sh store"
    /// The same, on a machine with a RabbitMQ node (`BrokerCommandsTests`).
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
  /// Headings that look like those of commands and are no place's, with the number of their line.
  public private(set) var unknown: [String] = []
  /// Texts of the blocks in JSON.
  public private(set) var json: [String] = []
  /// Targets of inline links.
  public private(set) var links: [String] = []

  public init(_ markdown: String) {
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

  /// The commands of one place.
  public func commands(_ place: Place) -> [Command] { commands.filter { $0.place == place } }

  private mutating func take(_ heading: [Substring], line: Int, text: String) {
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

  /// `[text](target)`, without the title and the fragment.
  private static func links(in line: Substring) -> [String] {
    line.components(separatedBy: "](").dropFirst().compactMap { rest in
      guard let end = rest.firstIndex(of: ")") else { return nil }
      let target = rest[..<end].prefix { $0 != "#" && $0 != " " }
      return target.isEmpty || target.contains("://") ? nil : String(target)
    }
  }
}
