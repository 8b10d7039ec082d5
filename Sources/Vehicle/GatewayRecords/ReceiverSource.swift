import GatewayStatus
import NMEAWire

/// The record pipeline's data about one receiver.
package struct ReceiverSource {
  var device: String
  /// `NMEA 0183`, or gpsd with its version such as `gpsd 3.22`; `nil` if the receiver has not sent data yet.
  var identity: String?
  var isClosed = false
  /// Whether the receiver has sent data before, but no longer does.
  var wasLost = false
  var standing: Standing
  /// Number of fixes that the receiver has sent.
  var fixes: UInt64 = 0
  /// The last fix of the receiver, and its time in ns since boot; `nil` if there was none.
  var last: (fix: Fix, time: Int64)?
  /// Number of text lines from gpsd that could not be read, although valid lines were received. Unreadable lines of
  /// NMEA receivers are not counted, because noise on a serial line is normal.
  var unreadable: UInt64 = 0

  init(device: String, at time: Int64) {
    self.device = device
    standing = Standing(since: time)
  }
}
