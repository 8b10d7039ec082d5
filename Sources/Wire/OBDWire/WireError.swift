/// The reason why bytes of a reply gave no reading: an error message of the adapter, or bytes that are invalid.
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
    /// `BUS ERROR`, `FB ERROR`: the signal levels on the bus are invalid, or the adapter could not change them.
    case busError
    /// `CAN ERROR`: initializing, sending or receiving on the CAN bus failed.
    case canError
    /// `BUFFER FULL`: the adapter dropped bytes.
    case bufferFull
    /// `DATA ERROR`, `<DATA ERROR`: the adapter found that a checksum or a format is wrong.
    case dataError
    /// `<RX ERROR`: the adapter could not receive the message completely.
    case rxError
    /// `STOPPED`: a character reached the adapter while it was busy.
    case stopped
    /// `?`, `?WRONG HEXCHAR COUNT`: the adapter did not understand the command.
    case unknownCommand
    /// The ECU rejected the request (7F). `service` is the service of the request, and `responseCode` the reason.
    case negativeResponse
    /// The message or frame has fewer bytes than its length announced.
    case truncated
    /// A consecutive frame is missing, repeated or out of order.
    case sequence
    /// The checksum or CRC does not match.
    case checksum
    /// The bytes cannot occur in a frame, message or answer of this format.
    case malformed
    /// The answer is valid, but no such request was sent.
    case unexpected
    /// `LV RESET`: the adapter restarted because its supply voltage was too low.
    case lowVoltage
    /// `ACT ALERT`: the adapter will go to its low-power mode because there was no activity.
    case activityAlert
    /// `LP ALERT`: the adapter will go to its low-power mode in two seconds.
    case lowPower
    /// An identification that no command requested: the adapter restarted and lost its settings.
    case adapterReset
    /// `ERRxx`, `FC RX TIMEOUT` or another error message of the adapter.
    case adapterError
  }

  /// The kind of error.
  public var kind: Kind
  /// Where the error comes from.
  public var origin: Origin
  /// Index, in the text line, of the character that is wrong. If a character is missing at the end, it is the length of
  /// the text line.
  public var offset: UInt16
  /// Service of the rejected request; only for ``Kind/negativeResponse``.
  public var service: UInt8
  /// Negative response code (ISO 14229-1, A.1); only for ``Kind/negativeResponse``.
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
