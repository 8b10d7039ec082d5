import Foundation
import TestKit

/// Bytes that no correct peer sends: damaged real dialogues and random bytes. The sequence is the same in every run.
///
/// A pool is generated once, because generating bytes takes longer than reading them. In each piece that is taken from
/// it, other bytes are changed.
struct Noise: Sendable {
  private var random: SplitMix
  private let pool: [UInt8]

  /// Creates the noise.
  ///
  /// - Parameters:
  ///   - seeds: the bytes of a correct peer.
  ///   - marks: bytes that begin or end something. They are inserted and removed more often than other bytes.
  init(_ seeds: [[UInt8]], marks: [UInt8], seed: UInt64) {
    var random = SplitMix(seed: seed)
    var pool: [UInt8] = []
    pool.reserveCapacity(Self.poolCount + 8_192)
    while pool.count < Self.poolCount {
      if Int.random(in: 0..<32, using: &random) == 0 {
        pool += (0..<Int.random(in: 1...4_096, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      } else {
        pool += Self.mutated(seeds.randomElement(using: &random) ?? [], seeds, marks, &random)
      }
    }
    self.pool = pool
    self.random = random
  }

  private static let poolCount = 2 << 20

  private static func mutated(
    _ seed: [UInt8], _ seeds: [[UInt8]], _ marks: [UInt8], _ random: inout SplitMix
  ) -> [UInt8] {
    var text = seed
    for _ in 0..<Int.random(in: 0...3, using: &random) where !text.isEmpty {
      let place = Int.random(in: 0..<text.count, using: &random)
      let end = min(text.count, place + Int.random(in: 1...16, using: &random))
      switch Int.random(in: 0..<7, using: &random) {
      case 0: text[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 1: text[place] = UInt8.random(in: 0...255, using: &random)
      case 2: text.removeSubrange(place..<end)
      case 3: text.insert(contentsOf: text[place..<end], at: place)
      case 4: text.insert(marks.randomElement(using: &random) ?? 0, at: place)
      case 5: text.insert(contentsOf: (seeds.randomElement(using: &random) ?? []).prefix(200), at: place)
      default:
        let byte = text[place]
        text.insert(contentsOf: repeatElement(byte, count: Int.random(in: 1...3_000, using: &random)), at: place)
      }
    }
    return text
  }

  /// Returns the next piece, of at most this number of bytes.
  mutating func next(_ most: Int = 65_536) -> [UInt8] {
    let count = Int.random(in: 1...most, using: &random)
    let place = Int.random(in: 0...(pool.count - count), using: &random)
    var piece = Array(pool[place..<(place + count)])
    for _ in 0..<8 {
      piece[Int.random(in: 0..<count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    return piece
  }
}

extension Noise {
  /// Returns noise of adapters, made from the answers in recordings of the project and of others.
  static func adapter(seed: UInt64) throws -> Noise {
    var seeds = [Array("\r>".utf8), Array("SEARCHING...\r".utf8), Array("ELM327 v1.5\r\r>".utf8), Array("?\r\r>".utf8)]
    for exchange in try TestData.objects("elm/transcripts.jsonl").flatMap({ $0["exchanges"] as? [[String: Any]] ?? [] }
    ) {
      if let text = exchange["rx"] as? String { seeds.append(Array(text.utf8)) }
    }
    seeds += try recorded("<")
    return Noise(seeds, marks: Array("\r>\n\0 :?A7".utf8), seed: seed)
  }

  /// Returns noise of receivers, made from their sentences with checksums.
  static func receiver(seed: UInt64) throws -> Noise {
    Noise(try recorded("g"), marks: Array("$!*,\r\n-.0N".utf8), seed: seed)
  }

  /// Returns noise of gpsd.
  static func gpsd(seed: UInt64) -> Noise {
    Noise(
      [
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","activated":"2027-03-05T12:00:00.000Z","flags":1,"driver":"NMEA0183","native":0,"bps":9600,"parity":"N","stopbits":1,"cycle":1.00}]}"#,
        #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"pps":false}"#,
        #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2027-03-05T12:00:00.000Z","ept":0.005,"lat":48.1,"lon":11.5,"altHAE":567.0,"altMSL":520.0,"epx":15.3,"epy":17.4,"epv":32.8,"track":10.3,"magtrack":14.1,"speed":13.8,"climb":-0.1,"eps":34.8,"epc":65.6}"#,
        #"{"class":"SKY","device":"/dev/ttyACM0","nSat":2,"uSat":2,"hdop":0.9,"vdop":1.2,"pdop":1.5,"satellites":[{"PRN":2,"el":31.0,"az":120.0,"ss":44.0,"used":true},{"PRN":5,"el":61.0,"az":20.0,"ss":41.0,"used":true}]}"#,
        #"{"class":"ERROR","message":"Unrecognized request"}"#,
      ].map { Array($0.utf8) + [0x0D, 0x0A] }, marks: Array("{}[]\":,\r\n0\\".utf8), seed: seed)
  }

  /// Returns the lines in the project's recordings (`captures`) that came from this direction, with their escapes
  /// replaced.
  private static func recorded(_ mark: String) throws -> [[UInt8]] {
    let folder = TestData.projectRoot + "/captures"
    var found: [[UInt8]] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".capture") {
      for line in try String(contentsOfFile: folder + "/" + name, encoding: .utf8).split(separator: "\n") {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, parts[1] == mark else { continue }
        let text = parts[2].replacingOccurrences(of: "\\x20", with: " ").replacingOccurrences(of: "\\r", with: "\r")
        found.append(Array(text.replacingOccurrences(of: "\\n", with: "\n").utf8))
      }
    }
    return found
  }
}
