import NMEAWire

/// A receiver as the pipeline knows it.
struct ReceiverSource {
  var device: String
  /// `NMEA 0183`, `gpsd 3.22`; nil: it has not spoken yet.
  var identity: String?
  var isClosed = false
  /// It spoke, and was lost.
  var wasLost = false
  var standing: Standing
  /// Epochs that it has told, and the last of them with its time.
  var fixes: UInt64 = 0
  var last: (fix: Fix, time: Int64)?
  /// Lines between good ones that could not be read; of gpsd alone, an NMEA line's noise is not told.
  var unreadable: UInt64 = 0

  init(device: String, at time: Int64) {
    self.device = device
    standing = Standing(since: time)
  }
}
