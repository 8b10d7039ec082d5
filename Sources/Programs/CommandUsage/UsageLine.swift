import ArgumentParser
import JSONText

extension ParsableCommand {
  /// Returns one text line about wrong usage: the command, the error, and how to get help.
  ///
  ///     fleetstore gateway: lst: no such command; did you mean list?: see fleetstore gateway --help
  ///
  /// - Parameters:
  ///   - message: the message of the argument parser, which may have several text lines.
  ///   - arguments: the arguments of the command line, without the program's name.
  public static func usageLine(_ message: String, arguments: some Sequence<String>) -> String {
    var command = name
    var commands = configuration.subcommands
    var rest = Array(arguments)[...]
    while let argument = rest.first, let next = commands.first(where: { $0.name == argument }) {
      command += " " + argument
      commands = next.configuration.subcommands
      rest = rest.dropFirst()
    }
    if let argument = rest.first, !argument.hasPrefix("-"),
      let near = nearestName(to: argument, among: commands.map { $0.name })
    {
      return "\(command): \(argument): no such command; did you mean \(near)?: see \(command) --help"
    }
    let text = message.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
    return "\(command): \(text): see \(command) --help"
  }

  /// The command's configured name. If there is none, the name of the type in lower case, as in the argument parser.
  private static var name: String { configuration.commandName ?? String(describing: Self.self).lowercased() }
}
