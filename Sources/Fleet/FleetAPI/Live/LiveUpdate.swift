import FleetFigures
import NIOCore
import Telemetry

/// A record that was just stored, for the subscribers of channels.
struct LiveRecord: Sendable {
  /// The number of the record's change in the tenant's feed. A subscriber can resume after this number.
  let number: Int64
  let vehicle: String
  /// The vehicle's VIN; `nil` if unknown.
  let vin: String?
  /// The time in the record; `nil` if the record has no valid time.
  let time: Timestamp?
  /// The trip whose end the record reports; `nil` if it reports none.
  var trip: EndedTrip?
  /// The record's JSON text, as the gateway sent it.
  let body: [UInt8]
}

/// New records for the subscribers of one channel. They are encoded once for all subscribers.
///
///     {"event":"record","channel":"vehicle:VAN-001","id":4711,"record":{…}}
struct LiveUpdate: Sendable {
  let channel: LiveChannel
  /// The encoded records: one WebSocket text frame for each record.
  let frames: ByteBuffer
  /// The number of the last record.
  let last: Int64
  /// For each record, its number and the offset of its frame in ``frames``, in ascending order.
  private let places: [(number: Int64, offset: Int)]

  /// Encodes the records of an update.
  ///
  /// - Parameter records: at least one record, in ascending order of their numbers.
  init(_ channel: LiveChannel, _ records: some Collection<LiveRecord>) {
    self.channel = channel
    let head = Self.head(channel)
    var frames = ByteBuffer()
    frames.reserveCapacity(records.reduce(0) { $0 + $1.body.count + head.count + 48 })
    var places: [(number: Int64, offset: Int)] = []
    places.reserveCapacity(records.count)
    var message: [UInt8] = []
    for record in records {
      places.append((record.number, frames.writerIndex))
      message.removeAll(keepingCapacity: true)
      message += head
      message += Array("\(record.number),\"record\":".utf8)
      message += record.body
      message.append(UInt8(ascii: "}"))
      ServerFrame.append(.text, message, to: &frames)
    }
    self.frames = frames
    self.places = places
    last = places.last?.number ?? 0
  }

  /// Returns the frames of the records whose numbers are above `number`; `nil` if there are no such records.
  func frames(after number: Int64) -> ByteBuffer? {
    guard number < last, let first = places.first(where: { $0.number > number }) else { return nil }
    return frames.getSlice(at: first.offset, length: frames.writerIndex - first.offset)
  }

  /// Divides the frames into pieces of at most `bytes` bytes. A piece contains only whole frames. A frame that is
  /// longer than `bytes` is a piece of its own.
  func pieces(atMost bytes: Int) -> [ByteBuffer] {
    var pieces: [ByteBuffer] = []
    var start = frames.readerIndex
    var end = start
    for border in places.dropFirst().map(\.offset) + [frames.writerIndex] {
      if border - start > bytes, end > start {
        pieces += [frames.getSlice(at: start, length: end - start)].compactMap { $0 }
        start = end
      }
      end = border
    }
    return pieces + [frames.getSlice(at: start, length: end - start)].compactMap { $0 }
  }

  /// Returns the beginning of each message, up to the record's number.
  private static func head(_ channel: LiveChannel) -> [UInt8] {
    let object = JSONBody.object { line in
      line.field("event", "record" as StaticString)
      line.field("channel", channel.name)
    }
    return object.dropLast() + Array(#","id":"#.utf8)
  }
}
