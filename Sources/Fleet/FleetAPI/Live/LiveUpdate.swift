import NIOCore
import Telemetry

/// A record that was stored just now.
struct LiveRecord: Sendable {
  /// Its number in its tenant, by which a subscriber resumes.
  let number: Int64
  let vehicle: String
  /// Of the vehicle, where it is known.
  let vin: String?
  /// Its JSON text, as it was sent.
  let body: [UInt8]

  /// Whether it comes through a channel of its tenant.
  func isIn(_ channel: LiveChannel) -> Bool {
    channel.vehicle == nil || channel.vehicle == vehicle || channel.vehicle == vin
  }
}

/// What subscribers of one channel get at once: frames that were made once for all of them.
///
///     {"event":"record","channel":"vehicle:VAN-001","id":4711,"record":{…}}
struct LiveUpdate: Sendable {
  let channel: LiveChannel
  /// One text frame for each record.
  let frames: ByteBuffer
  /// Number of the last record.
  let last: Int64
  /// Number of each record, going up, and where its frame begins.
  private let places: [(number: Int64, offset: Int)]

  /// - Parameter records: at least one, by number.
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

  /// Frames of the records behind a number; nil where there are none.
  func frames(after number: Int64) -> ByteBuffer? {
    guard number < last, let first = places.first(where: { $0.number > number }) else { return nil }
    return frames.getSlice(at: first.offset, length: frames.writerIndex - first.offset)
  }

  /// The frames in pieces of whole frames: each as long as `bytes` allows, but one frame at least.
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

  /// The message up to the number.
  private static func head(_ channel: LiveChannel) -> [UInt8] {
    let object = JSONBody.object { line in
      line.field("event", "record" as StaticString)
      line.field("channel", channel.name)
    }
    return object.dropLast() + Array(#","id":"#.utf8)
  }
}
