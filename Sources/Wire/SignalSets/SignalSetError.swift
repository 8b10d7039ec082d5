import JSONText

/// An error in a signal-set file: the position in the file, and what was expected.
public struct SignalSetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Name of the file, as given by the caller.
  public var file: String
  /// The problem and its position in the file.
  public var error: JSONError

  /// Creates an error; the parameters are the properties of the same names.
  public init(file: String, error: JSONError) {
    self.file = file
    self.error = error
  }

  /// The message as one text line, for example:
  /// `Ford-F-150.json:3:55: commands[0].cmd: expected one of the services 01, 21, 22, found "2E"`.
  public var message: String { error.message(in: file) }
  /// The error as one text line, which is ``message``.
  public var description: String { message }
}
