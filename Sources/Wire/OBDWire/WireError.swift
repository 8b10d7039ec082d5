/// The reason why bytes of a reply gave no reading: an error message of the adapter, or invalid bytes.
///
/// The handler also receives the text line as the adapter sent it.
public struct WireError: Error, BitwiseCopyable, Equatable, Sendable {
  /// The kind of error.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// `NO DATA`: no answer arrived in time.
    case noData
    /// `UNABLE TO CONNECT`: no protocol was found.
    case unableToConnect
    /// `BUS INIT: …ERROR`: the slow or fast initialisation of a K-line failed.
    case busInit
    /// `BUS BUSY`: the adapter could not send because of other traffic.
    case busBusy
    /// `BUS ERROR`, `FB ERROR`: the bus has invalid signal levels, or the adapter's output did not change it.
    case busError
    /// `CAN ERROR`: initializing, sending or receiving on the CAN bus failed.
    case canError
    /// `BUFFER FULL`: the adapter dropped bytes.
    case bufferFull
    /// `DATA ERROR`, `<DATA ERROR`: the adapter found the checksum or format wrong.
    case dataError
    /// `<RX ERROR`: the adapter could not receive the message completely.
    case rxError
    /// `STOPPED`: a character reached the adapter while it was busy.
    case stopped
    /// `?`, `?WRONG HEXCHAR COUNT`: the adapter did not understand the command.
    case unknownCommand
    /// 7F: the ECU rejected the request. `service` and `responseCode` give the request and the reason.
    case negativeResponse
    /// Fewer bytes than announced.
    case truncated
    /// A consecutive frame is missing, repeated or out of order.
    case sequence
    /// The checksum or CRC does not match.
    case checksum
    /// Bytes that are impossible in a frame, message or answer of this format.
    case malformed
    /// A valid answer to a request that was not sent.
    case unexpected
    /// `LV RESET`: the adapter restarted after its supply voltage was too low.
    case lowVoltage
    /// `ACT ALERT`: the adapter will enter low-power mode because there was no activity.
    case activityAlert
    /// `LP ALERT`: the adapter will enter low-power mode in two seconds.
    case lowPower
    /// An unexpected identification: the adapter restarted and lost its settings.
    case adapterReset
    /// `ERRxx`, `FC RX TIMEOUT` or another error message of the adapter.
    case adapterError
  }

  /// The kind of error.
  public var kind: Kind
  /// Source of the error.
  public var origin: Origin
  /// Index of the character at fault in the text line; the line's length if a character is missing.
  public var offset: UInt16
  /// Service of the rejected request (``Kind/negativeResponse`` only).
  public var service: UInt8
  /// Negative response code (ISO 14229-1, A.1; ``Kind/negativeResponse`` only).
  public var responseCode: UInt8

  /// Creates an error.
  public init(_ kind: Kind, origin: Origin, offset: UInt16 = 0, service: UInt8 = 0, responseCode: UInt8 = 0) {
    self.kind = kind
    self.origin = origin
    self.offset = offset
    self.service = service
    self.responseCode = responseCode
  }
}
