/// A frame that was on the bus.
struct BusFrame: Equatable {
  /// Time at which the last bit of the frame ended.
  var time: Duration
  /// CAN identifier of the sender; on other buses, the sender's address byte.
  var sender: UInt32
  /// On CAN, the data field; on other buses, the whole frame with header and checksum.
  var bytes: [UInt8]
}

/// A request on the bus.
struct BusRequest {
  /// CAN identifier of the request; on other buses, the three header bytes in the low 24 bits.
  var header: UInt32
  /// Address byte that precedes the data (`ATCEA`); `nil` if there is none.
  var extendedAddress: UInt8?
  /// Payload of the request, which begins with the service byte.
  var payload: [UInt8]
}
