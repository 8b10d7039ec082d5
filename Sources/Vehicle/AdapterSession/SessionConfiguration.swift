import OBDWire

/// Settings of a session, which do not change while it runs.
public struct SessionConfiguration: BitwiseCopyable, Sendable {
  /// A kind of port.
  public enum Transport: BitwiseCopyable, Sendable, Equatable {
    /// A serial port with its baud rate; `nil` to find the rate.
    case serial(baud: Int?)
    /// RFCOMM, TCP or a pty, which have no baud rate.
    case stream
  }

  /// The kind of port of the adapter.
  public var transport: Transport = .stream
  /// ELM digit of the protocol, ASCII `1`…`9`; `nil` to find it.
  public var protocolDigit: UInt8?
  /// Time between two readings of the trouble codes, ns.
  public var codesPeriod: Int64 = 60_000_000_000
  /// Time between two readings of the adapter's voltage, ns. Values below one second count as one second.
  public var voltagePeriod: Int64 = 10_000_000_000
  /// Minimum time between the starts of two rounds of the search for a vehicle, ns.
  public var searchPause: Int64 = 2_000_000_000
  /// Rules for stopping requests to the vehicle, and for probing it again.
  public var power = PowerConfiguration()
  /// Baud rate to which adapter and port change after the initialization, by ATBRD (15,686…500,000) or STBR; `nil` to
  /// keep the rate. Only for serial ports. If the change fails, both return to the former rate.
  public var preferredBaud: Int?

  /// Creates the defaults.
  public init() {}
}

/// Data that a session learned, for the next session with the same adapter.
public struct SessionMemory: BitwiseCopyable, Sendable {
  /// The baud rate at which the adapter answered; 0 if unknown.
  public var baud = 0
  /// ELM digit (ASCII) of the protocol on which the vehicle answered last; 0 if unknown.
  public var protocolDigit: UInt8 = 0
  /// The VIN: its first ``vinCount`` characters.
  public var vin = InlineArray<20, UInt8>(repeating: 0)
  /// Number of characters of ``vin``; 0 if unknown.
  public var vinCount = 0
  /// PIDs that the vehicle claims to support but does not answer.
  public var silentPIDs = PIDSet()
  /// The adapter's quirks that are known so far.
  public var quirks: Quirks = []
  /// Vehicle's voltage (PID 42) minus the adapter's, V; 0 if unknown.
  public var voltageOffset = 0.0
  /// Whether the adapter's voltage has ever changed, which proves that it is measured.
  public var measuresVoltage = false

  /// Creates an empty memory.
  public init() {}
}
