/// Why bytes of a reply gave no reading: the adapter said so, or the bytes do not add up.
///
/// The line it was seen on comes beside it, as the adapter sent it.
public struct WireError: Error, BitwiseCopyable, Equatable, Sendable {
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// `NO DATA`: nobody answered in time.
    case noData
    /// `UNABLE TO CONNECT`: no protocol found.
    case unableToConnect
    /// `BUS INIT: …ERROR`: the slow or fast initialisation of a K-line failed.
    case busInit
    /// `BUS BUSY`
    case busBusy
    /// `BUS ERROR`, `FB ERROR`
    case busError
    /// `CAN ERROR`
    case canError
    /// `BUFFER FULL`: the adapter dropped bytes.
    case bufferFull
    /// `DATA ERROR`, `<DATA ERROR`: the adapter found the checksum or format wrong.
    case dataError
    /// `<RX ERROR`: the adapter could not read the line whole.
    case rxError
    /// `STOPPED`: a character reached the adapter while it was busy.
    case stopped
    /// `?`, `?WRONG HEXCHAR COUNT`
    case unknownCommand
    /// 7F: the ECU refused; `service` and `responseCode` say what and why.
    case negativeResponse
    /// Fewer bytes than announced.
    case truncated
    /// A consecutive frame missing, doubled or out of turn.
    case sequence
    /// Checksum or CRC does not match.
    case checksum
    /// Bytes that no frame, message or answer of this form can have.
    case malformed
    /// A valid answer to another question than the one asked.
    case unexpected
    /// `LV RESET`
    case lowVoltage
    /// `ACT ALERT`
    case activityAlert
    /// `LP ALERT`
    case lowPower
    /// A banner nobody asked for: the adapter started anew and lost its settings.
    case adapterReset
    /// `ERRxx`, `FC RX TIMEOUT` and whatever else the adapter says of itself.
    case adapterError
  }

  public var kind: Kind
  public var origin: Origin
  /// Index of the character in the line that showed it; the line's length where one is missing.
  public var offset: UInt16
  /// The service refused (``Kind/negativeResponse`` only).
  public var service: UInt8
  /// Negative response code (ISO 14229-1, A.1; ``Kind/negativeResponse`` only).
  public var responseCode: UInt8

  public init(_ kind: Kind, origin: Origin, offset: UInt16 = 0, service: UInt8 = 0, responseCode: UInt8 = 0) {
    self.kind = kind
    self.origin = origin
    self.offset = offset
    self.service = service
    self.responseCode = responseCode
  }
}
