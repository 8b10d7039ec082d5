import GatewayStatus
import NMEAWire

/// The pipeline's data about a receiver.
package struct ReceiverSource {
  var device: String
  /// `NMEA 0183`, or for example `gpsd 3.22`; `nil` if the receiver has not sent data yet.
  var identity: String?
  var isClosed = false
  /// Whether the receiver has sent data and was lost afterwards.
  var wasLost = false
  var standing: Standing
  /// Number of fixes that the receiver has sent, and the last one with its time.
  var fixes: UInt64 = 0
  var last: (fix: Fix, time: Int64)?
  /// Number of text lines of gpsd, between valid ones, that could not be read. Unreadable lines of NMEA receivers are
  /// not counted, because noise on a line is normal.
  var unreadable: UInt64 = 0

  init(device: String, at time: Int64) {
    self.device = device
    standing = Standing(since: time)
  }
}
