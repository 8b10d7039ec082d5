/// The exit status of a program, as in sysexits.h.
public struct ExitStatus: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number with which the process exits.
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }
  public init(integerLiteral value: Int32) { self.init(rawValue: value) }

  /// The command was executed, and its result is a failure.
  public static let failed: ExitStatus = 1
  /// EX_USAGE: the arguments are wrong.
  public static let usage: ExitStatus = 64
  /// EX_DATAERR: the input is invalid.
  public static let badData: ExitStatus = 65
  /// EX_NOINPUT: a file is missing.
  public static let noInput: ExitStatus = 66
  /// EX_UNAVAILABLE: a device or a service is unavailable.
  public static let unavailable: ExitStatus = 69
  /// EX_IOERR: a file cannot be read or written.
  public static let unreadable: ExitStatus = 74
  /// EX_CONFIG: the configuration is invalid.
  public static let badConfiguration: ExitStatus = 78
}

/// The reason why a program or a command ends early, with its exit status.
public typealias Failure = PlacedError<ExitStatus>
