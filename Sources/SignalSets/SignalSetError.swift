import JSONText

/// Why a signal set cannot be used: which file, which line and path, and what would be right.
public struct SignalSetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file's name, as it was given.
  public var file: String
  /// The place in the file and what is wrong there.
  public var error: JSONError

  /// - Parameters: as the properties of the same names.
  public init(file: String, error: JSONError) {
    self.file = file
    self.error = error
  }

  /// One line: `Ford-F-150.json:3:55: commands[0].cmd: expected one of the services 01, 21, 22, found "2E"`.
  public var message: String { error.message(in: file) }
  /// ``message``.
  public var description: String { message }
}
