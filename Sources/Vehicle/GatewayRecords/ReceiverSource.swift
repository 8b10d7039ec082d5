import GatewayStatus
import NMEAWire

/// The pipeline's state of a receiver.
package struct ReceiverSource {
  var device: String
  /// `NMEA 0183` or `gpsd 3.22`; `nil` until it has sent data.
  var identity: String?
  var isClosed = false
  /// Whether it sent data and was lost afterwards.
  var wasLost = false
  var standing: Standing
  /// Number of its epochs, and the last one with its time.
  var fixes: UInt64 = 0
  var last: (fix: Fix, time: Int64)?
  /// Unreadable text lines between valid ones. Only gpsd's are counted; noise of an NMEA line is not reported.
  var unreadable: UInt64 = 0

  init(device: String, at time: Int64) {
    self.device = device
    standing = Standing(since: time)
  }
}
