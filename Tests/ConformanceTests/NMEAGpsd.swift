import Foundation
import NMEAWire
import TestKit

/// A fix as gpsd published it: a TPV report of mode 2D or 3D with a position.
struct GpsdFix: CustomStringConvertible {
  /// Milliseconds since midnight UTC; `nil` if gpsd did not know the time.
  var time: Int?
  var latitude: Double
  var longitude: Double

  var description: String { "\(time.map(String.init) ?? "no time") \(latitude) \(longitude)" }

  /// Returns the reports of gpsd for a log.
  static func published(for name: String) throws -> [GpsdFix] {
    let path = try TestData.path("nmea/\(name).log.chk")
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    return try text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("{") }.compactMap { line in
      let report = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      guard report["class"] as? String == "TPV", let mode = report["mode"] as? Int, mode >= 2 else { return nil }
      guard let latitude = report["lat"] as? Double, let longitude = report["lon"] as? Double else { return nil }
      let time = (report["time"] as? String).flatMap(milliseconds)
      return GpsdFix(time: time, latitude: latitude, longitude: longitude)
    }
  }

  /// Returns the milliseconds since midnight of a time such as `2010-07-18T16:50:07.000Z`.
  private static func milliseconds(_ timestamp: String) -> Int? {
    let parts = timestamp.dropFirst(11).dropLast().split(separator: ":").compactMap { Double($0) }
    guard parts.count == 3 else { return nil }
    return Int(parts[0]) * 3_600_000 + Int(parts[1]) * 60_000 + Int((parts[2] * 1000).rounded())
  }
}

/// A comparison that finds those fixes of gpsd that are not among the reader's fixes.
struct GpsdComparison {
  /// Fixes of gpsd, with or without a time, to which no fix of the reader corresponds.
  private(set) var missing: [GpsdFix] = []
  /// The number of fixes that were compared.
  private(set) var count = 0

  /// gpsd reports after each sentence, with separate positions if they differ (among them GPavp, Ericsson's averaged
  /// position). The reader's fix for a time must be one of those that gpsd published for that time.
  init(published: [GpsdFix], ours: [Fix], words: [NMEALogs.Word], tolerance: Double) {
    let ours = ours.filter { $0.latitude != nil }
    let byTime = Dictionary(grouping: ours) { $0.time?.milliseconds }
    for (time, reports) in Dictionary(grouping: published.filter { $0.time != nil }, by: \.time) {
      count += 1
      let fixes = byTime[time] ?? []
      let isFound = fixes.contains { fix in reports.contains { $0.isAt(fix, within: tolerance) } }
      if !isFound { missing.append(reports[0]) }
    }
    // A report without a time is found by its order: at a fix of the reader, or at a sentence of which the fix is made.
    var reached = 0
    for report in published where report.time == nil {
      count += 1
      let sentences = words.filter { report.isAt($0, within: tolerance) }.compactMap { NMEALogs.milliseconds($0.time) }
      let found = ours.indices.dropFirst(reached).first { index in
        report.isAt(ours[index], within: tolerance) || sentences.contains { $0 == ours[index].time?.milliseconds }
      }
      if let found { reached = found } else { missing.append(report) }
    }
  }
}

extension GpsdFix {
  func isAt(_ word: NMEALogs.Word, within tolerance: Double) -> Bool {
    guard let latitude = word.latitude, let longitude = word.longitude else { return false }
    return abs(latitude - self.latitude) <= tolerance && abs(longitude - self.longitude) <= tolerance
  }

  func isAt(_ fix: Fix, within tolerance: Double) -> Bool {
    guard let latitude = fix.latitude, let longitude = fix.longitude else { return false }
    return abs(latitude - self.latitude) <= tolerance && abs(longitude - self.longitude) <= tolerance
  }
}

/// Fixes that gpsd publishes and the reader does not, with the rule that decides.
struct GpsdDisagreement {
  var log: String
  /// The number of gpsd's fixes to which it applies.
  var fixes: Int
  var rule: String

  static func with(gpsd log: String) -> GpsdDisagreement? { all.first { $0.log == log } }

  private static let all = [
    GpsdDisagreement(
      log: "GPSmap-76S", fixes: 2, rule: "GGA quality 8, RMC mode S: a simulator's position is none"),
    GpsdDisagreement(
      log: "garmin-geko201", fixes: 2, rule: "GGA quality 8, RMC mode S: a simulator's position is none"),
    GpsdDisagreement(
      log: "tr737A+", fixes: 1, rule: "GGA quality 0, RMC status V: the receiver calls the fix invalid"),
  ]
}
