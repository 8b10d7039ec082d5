import Foundation

/// The commands that one page shows for one ``MarkdownBlocks/Place``, in order.
///
///     for page in try DocumentedCommands.all(.scratch) {
///       let ran = try page.run(in: folder)
///       #expect(ran.status == 0, "\(page): \(ran.output)")
///     }
///
/// `Tests/Support/documented-commands.sh` runs them one by one, as a user at a terminal does. A command that runs until
/// Ctrl-C is interrupted once it is working.
public struct DocumentedCommands: Sendable, CustomStringConvertible {
  /// The path of the page in the project.
  public let page: String
  /// The commands, each on one line, or on several that end with `\`.
  public let script: String
  /// The JSON blocks of the page, which are the contents of files that its commands name.
  public let json: [String]
  public var description: String { page }

  /// Returns the commands of all pages for a place. One test runs all of them.
  public static func all(_ place: MarkdownBlocks.Place) throws -> [DocumentedCommands] {
    try ProjectTree.files().filter { $0.hasSuffix(".md") }.compactMap { page in
      let blocks = MarkdownBlocks(try ProjectTree.text(page))
      let scripts = blocks.commands(place).map(\.script)
      guard !scripts.isEmpty else { return nil }
      return DocumentedCommands(page: page, script: scripts.joined(), json: blocks.json)
    }
  }

  /// Time limit for all commands of a page. The script has a shorter limit.
  public static let limit = Duration.seconds(1_000)

  /// Returns the command line that runs the commands, for a test that needs to modify it.
  ///
  /// - Parameter folders: folders that are searched for programs before those of `PATH`.
  public func command(folders: [String] = []) throws -> [String] {
    // Pass the script as text, because it may run as a user who cannot read the project's folder.
    let program = try ProjectTree.text("Tests/Support/documented-commands.sh")
    return ["env", "PATH=\(try Self.path(folders))", "bash", "-c", program, "documented-commands.sh", script]
  }

  /// Runs the commands.
  ///
  /// - Parameters:
  ///   - folder: the working directory.
  ///   - environment: variables to add.
  /// - Returns: the status of the first command that failed, or 0. The output has each command after a `$`, followed by
  ///   its own output.
  public func run(in folder: String, environment: [String: String] = [:]) throws -> Tool.Result {
    let command = try command()
    return try Tool.run(
      command[0], Array(command[1...]), environment: environment, directory: folder, limit: Self.limit)
  }

  /// Returns the search path for programs: first `folders`, then the folder of the built programs.
  private static func path(_ folders: [String]) throws -> String {
    var all = folders
    for program in [try Tool.obdgate, try Tool.obdgated, try Tool.fleetstore] {
      let folder = URL(fileURLWithPath: program).deletingLastPathComponent().path
      if !all.contains(folder) { all.append(folder) }
    }
    return (all + [ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]).joined(separator: ":")
  }
}
