import Foundation

/// The commands that one page shows for one place, in their order, read from the page itself.
///
///     for page in try DocumentedCommands.all(.scratch) {
///       let ran = try page.run(in: folder)
///       #expect(ran.status == 0, "\(page): \(ran.output)")
///     }
///
/// `Tests/Support/documented-commands.sh` runs them, each by itself, as a person at a terminal does: what goes on until
/// Ctrl-C gets that once it is at work. It says what is not as it is written.
public struct DocumentedCommands: Sendable, CustomStringConvertible {
  /// The page's path in the project.
  public let page: String
  /// Its commands, one or more on each line.
  public let script: String
  /// The page's blocks in JSON, which a command may name as files.
  public let json: [String]
  public var description: String { page }

  /// The pages that show commands for a place; those of one place are run by one test, whichever page they stand on.
  public static func all(_ place: MarkdownBlocks.Place) throws -> [DocumentedCommands] {
    try ProjectTree.files().filter { $0.hasSuffix(".md") }.compactMap { page in
      let blocks = MarkdownBlocks(try ProjectTree.text(page))
      let scripts = blocks.commands(place).map(\.script)
      guard !scripts.isEmpty else { return nil }
      return DocumentedCommands(page: page, script: scripts.joined(), json: blocks.json)
    }
  }

  /// How long all of them may take; the script that runs them gives up before.
  public static let limit = Duration.seconds(1_000)

  /// What runs them: for a test that starts programs around it.
  ///
  /// - Parameter folders: where programs are looked for before `PATH`.
  public func command(folders: [String] = []) throws -> [String] {
    // As texts: the project's folder may be closed to another user who runs them.
    let program = try ProjectTree.text("Tests/Support/documented-commands.sh")
    return ["env", "PATH=\(try Self.path(folders))", "bash", "-c", program, "documented-commands.sh", script]
  }

  /// Runs them to their end.
  ///
  /// - Parameters:
  ///   - folder: where they run.
  ///   - environment: variables to add.
  /// - Returns: the status of the first that failed, or 0; as output each command behind a `$`, and what it said.
  public func run(in folder: String, environment: [String: String] = [:]) throws -> Tool.Result {
    let command = try command()
    return try Tool.run(
      command[0], Array(command[1...]), environment: environment, directory: folder, limit: Self.limit)
  }

  /// The programs that were built beside the tests come first.
  private static func path(_ folders: [String]) throws -> String {
    var all = folders
    for program in [try Tool.obdgate, try Tool.obdgated, try Tool.fleetstore] {
      let folder = URL(fileURLWithPath: program).deletingLastPathComponent().path
      if !all.contains(folder) { all.append(folder) }
    }
    return (all + [ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]).joined(separator: ":")
  }
}
