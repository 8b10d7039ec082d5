/// The kind of adapter to simulate, and the properties of its serial connection.
public struct AdapterModel: Sendable {
  /// The three common kinds of adapters.
  public enum Kind: String, CaseIterable, Sendable {
    /// An ELM327 v1.5 according to its data sheet.
    case elm327
    /// A poor clone that claims to be v2.1. It prints no blank line before the prompt, lacks many commands, and rejects
    /// a request that ends with the number of expected frames.
    case clone
    /// An STN chip (OBDLink). It accepts ELM327 and ST commands, sends requests of more than 7 bytes, and waits longer
    /// after an ECU has answered "response pending".
    case stn
  }

  /// The kind of adapter.
  public var kind: Kind
  /// Text that `ATI` and `ATZ` print.
  public var identity: String
  /// Text that `AT@1` prints.
  public var title: String
  /// Baud rate of the serial connection.
  public var baud = 38400
  /// Whether line feeds are on (`ATL1`) after a restart. On a real chip, the level of pin 7 decides.
  public var linefeeds = false
  /// Time from the CR that ends a command to the adapter's answer.
  public var processing = Duration.microseconds(500)
  /// Time that the restart by `ATZ` takes.
  public var resetTime = Duration.milliseconds(800)
  /// Maximum time for which the USB bridge collects bytes before it sends them.
  public var chunkTime = Duration.milliseconds(1)
  /// Number of collected bytes at which the USB bridge sends them without waiting for `chunkTime`.
  public var chunkSize = 62
  /// Whether bytes become garbage if the host's baud rate is wrong, as with a real adapter. This works only with a
  /// pseudo-terminal.
  public var isStrictAboutBaud = false

  /// Creates a model with the defaults of a kind.
  ///
  /// - Parameter kind: the kind, which determines the default of every other property.
  public init(_ kind: Kind = .elm327) {
    self.kind = kind
    switch kind {
    case .elm327:
      identity = "ELM327 v1.5"
      title = "OBDII to RS232 Interpreter"
    case .clone:
      identity = "ELM327 v2.1"
      title = "OBDII to RS232 Interpreter"
    case .stn:
      identity = "ELM327 v1.4b"
      title = "SCANTOOL.NET LLC"
    }
  }

  /// Number of characters in the adapter's output buffer. The buffer fills if frames arrive faster than the host
  /// receives them.
  var bufferSize: Int { kind == .stn ? 4096 : 512 }

  /// Maximum number of data bytes in a CAN request.
  var longestRequest: Int { kind == .stn ? 4095 : kind == .clone ? 4 : 7 }

  /// Whether a request may end with a digit that states the number of expected frames.
  var takesCount: Bool { kind != .clone }

  /// Number of blank lines between an answer and the prompt.
  var blankLines: Int { kind == .clone ? 0 : 1 }

  /// Minimum pause on a K-line between the last frame and the next request. An ELM327 waits for (15 − 0.5) × 4.096 ms,
  /// because its programmable parameter 1D has the value 0F. A clone does not wait, and leaves the pause to the host.
  var requestPause: Duration {
    switch kind {
    case .elm327: ProgrammableParameters.requestPause
    case .stn: .milliseconds(55)
    case .clone: .zero
    }
  }

  /// Whether this kind of adapter rejects a command. The command is given without `AT` and without spaces.
  func lacks(_ command: String) -> Bool {
    // `ATPPS` is rejected, because the programmable parameters of an STN chip are not documented.
    if kind == .stn { return command == "PPS" }
    guard kind == .clone else { return false }
    return ["AT", "@2", "CEA", "LP", "PP", "BR", "CF", "CM", "R0", "R1", "JE", "MP"].contains { command.hasPrefix($0) }
  }
}
