import OBDWire

/// Settings of a session, which do not change while it runs.
public struct SessionConfiguration: BitwiseCopyable, Sendable {
  /// A kind of port.
  public enum Transport: BitwiseCopyable, Sendable, Equatable {
    /// A serial port with its baud rate; `nil` if the session must find the rate.
    case serial(baud: Int?)
    /// An RFCOMM connection, a TCP connection or a pty. These have no baud rate.
    case stream
  }

  /// The kind of port to which the adapter is connected.
  public var transport: Transport = .stream
  /// ELM digit of the vehicle's protocol, ASCII `1`…`9`; `nil` if the session must find the protocol.
  public var protocolDigit: UInt8?
  /// Time between two readings of the trouble codes, ns.
  public var codesPeriod: Int64 = 60_000_000_000
  /// Time between two readings of the adapter's voltage, ns. Values below one second count as one second.
  public var voltagePeriod: Int64 = 10_000_000_000
  /// Minimum time between the starts of two rounds of the search for a vehicle, ns.
  public var searchPause: Int64 = 2_000_000_000
  /// Rules for stopping requests to the vehicle, and for probing it again.
  public var power = PowerConfiguration()
  /// Baud rate to which the adapter and the port change after the initialization; `nil` to keep the rate. The change is
  /// made by ATBRD (15,686…500,000 baud) or STBR. It is used only for serial ports. If the change fails, adapter and
  /// port return to the former rate.
  public var preferredBaud: Int?

  /// Creates a configuration with default values.
  public init() {}
}

/// Data that a session learned, and that the next session with the same adapter uses.
public struct SessionMemory: BitwiseCopyable, Sendable {
  /// The baud rate at which the adapter answered; 0 if unknown.
  public var baud = 0
  /// ELM digit (ASCII) of the protocol on which the vehicle answered last; 0 if unknown.
  public var protocolDigit: UInt8 = 0
  /// The vehicle's VIN, of which the first ``vinCount`` characters are used.
  public var vin = InlineArray<20, UInt8>(repeating: 0)
  /// Number of characters of the VIN in ``vin``; 0 if the VIN is unknown.
  public var vinCount = 0
  /// PIDs that the vehicle claims to support but does not answer.
  public var silentPIDs = PIDSet()
  /// The quirks of the adapter that are known so far.
  public var quirks: Quirks = []
  /// The control module's voltage (PID 42) minus the adapter's voltage, V; 0 if unknown.
  public var voltageOffset = 0.0
  /// Whether the adapter's voltage has ever changed, which proves that it is measured.
  public var measuresVoltage = false

  /// Creates an empty memory.
  public init() {}
}
