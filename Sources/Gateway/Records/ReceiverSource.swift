/// A receiver as the desk knows it.
struct ReceiverSource {
  var device: String
  /// `NMEA 0183`, `gpsd 3.22`; nil: it has not spoken yet.
  var identity: String?
  var isClosed = false
  /// It spoke, and was lost.
  var wasLost = false
}
