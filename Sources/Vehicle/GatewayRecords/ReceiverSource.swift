import GatewayStatus
import NMEAWire

/// The pipeline's state of a receiver.
package struct ReceiverSource {
  var device: String
  /// `NMEA 0183` or `gpsd 3.22`; `nil` until the receiver has sent data.
  var identity: String?
  var isClosed = false
  /// Whether the receiver sent data and was then lost.
  var wasLost = false
  var standing: Standing
  /// Number of fixes of the receiver, and the last one with its time.
  var fixes: UInt64 = 0
  var last: (fix: Fix, time: Int64)?
  /// Number of unreadable text lines between valid ones. Only those of gpsd are counted; noise on an NMEA line is not
  /// reported.
  var unreadable: UInt64 = 0

  init(device: String, at time: Int64) {
    self.device = device
    standing = Standing(since: time)
  }
}
