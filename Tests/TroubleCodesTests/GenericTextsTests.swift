import Testing
import TroubleCodes

struct GenericTextsTests {
  private static let generic = TroubleCodeCatalog.generic
  private let catalog = TroubleCodeCatalog()

  @Test func codes_ascend_and_none_stands_twice() {
    for (former, later) in zip(Self.generic, Self.generic.dropFirst()) {
      #expect(former.code < later.code, "\(CodeName(former.code)), \(CodeName(later.code))")
    }
  }

  @Test func at_least_450_generic_codes_have_a_text() { #expect(Self.generic.count >= 450) }

  @Test func every_code_of_the_table_is_found_and_only_those() {
    let texts = Dictionary(uniqueKeysWithValues: Self.generic.map { ($0.code, $0.text) })
    for code in UInt16.min...UInt16.max where catalog.text(for: code) != texts[code] {
      Issue.record("\(CodeName(code)): \(catalog.text(for: code) ?? "nil")")
    }
  }

  @Test func only_codes_of_the_standard_have_a_built_in_text() {
    for row in Self.generic where CodeName(row.code).authority != .standard { Issue.record("\(CodeName(row.code))") }
  }

  @Test func texts_are_short_plain_lines() {
    for row in Self.generic {
      let name = CodeName(row.code)
      #expect(row.text.utf8.count <= 80, "\(name)")
      #expect(row.text.split(separator: " ").count >= 2, "\(name)")
      #expect(row.text.utf8.allSatisfy { 0x20..<0x7F ~= $0 }, "\(name)")
      #expect(!row.text.hasPrefix(" ") && !row.text.hasSuffix(" ") && !row.text.contains("  "), "\(name)")
    }
  }

  @Test func no_two_codes_share_a_text() {
    var seen: [String: UInt16] = [:]
    for row in Self.generic {
      if let other = seen.updateValue(row.code, forKey: row.text) {
        Issue.record("\(CodeName(other)) and \(CodeName(row.code)): \(row.text)")
      }
    }
  }

  @Test(arguments: [
    "P0000", "P1234", "P3050", "C0035", "C0040", "C0045", "C0050", "B1318", "U1000", "U3FFF", "C3000",
  ])
  func codes_without_a_sure_meaning_have_no_text(code: String) throws {
    #expect(catalog.text(for: try #require(CodeName(parsing: code)).number) == nil)
  }

  /// Keywords of the texts of codes, from public lists of SAE J2012. The codes are from all groups and from the ends of
  /// their families.
  @Test(arguments: [
    ("P0001", "fuel volume regulator"), ("P0011", "camshaft A|advanced|bank 1"),
    ("P0016", "crankshaft|camshaft A|bank 1"),
    ("P0024", "camshaft B|advanced|bank 2"), ("P0031", "oxygen sensor heater|low|bank 1 sensor 1"),
    ("P0058", "oxygen sensor heater|high|bank 2 sensor 2"), ("P0064", "heater|high|bank 2 sensor 3"),
    ("P0068", "manifold pressure|throttle"), ("P0086", "exhaust valve|high|bank 2"),
    ("P0087", "fuel rail pressure|low"),
    ("P0098", "intake air temperature sensor 2|high"), ("P0101", "air flow|implausible"),
    ("P0107", "manifold pressure|low"), ("P0113", "intake air temperature|high"), ("P0117", "coolant temperature|low"),
    ("P0122", "throttle|sensor A|low"), ("P0128", "thermostat"), ("P0133", "oxygen sensor|slow|bank 1 sensor 1"),
    ("P0141", "oxygen sensor|heater|bank 1 sensor 2"), ("P0161", "heater|bank 2 sensor 2"), ("P0171", "lean|bank 1"),
    ("P0175", "rich|bank 2"), ("P0193", "fuel rail pressure|high"), ("P0212", "injector|cylinder 12"),
    ("P0217", "engine|overheated"), ("P0234", "boost|too high"), ("P0261", "injector|low|cylinder 1"),
    ("P0272", "balance|cylinder 4"), ("P0296", "balance|cylinder 12"), ("P0299", "boost|too low"),
    ("P0300", "misfire|random"),
    ("P0304", "misfire|cylinder 4"), ("P0312", "misfire|cylinder 12"), ("P0325", "knock sensor 1"),
    ("P0335", "crankshaft position"), ("P0340", "camshaft position|A|bank 1"), ("P0394", "camshaft position|B|bank 2"),
    ("P0353", "ignition coil C"), ("P0362", "ignition coil L"), ("P0380", "glow plug"),
    ("P0401", "exhaust gas recirculation|too low"), ("P0411", "secondary air|flow"),
    ("P0420", "catalyst|efficiency|bank 1"),
    ("P0430", "catalyst|efficiency|bank 2"), ("P0442", "small leak"), ("P0455", "large leak"),
    ("P0456", "very small leak"),
    ("P0457", "fuel cap"), ("P0463", "fuel level|high"), ("P0480", "fan 1"), ("P0499", "vent|high"),
    ("P0500", "vehicle speed"), ("P0505", "idle"), ("P0513", "immobiliser"), ("P0524", "oil pressure|low"),
    ("P0562", "voltage low"), ("P0571", "brake switch A"), ("P0597", "thermostat heater"), ("P0601", "checksum"),
    ("P0620", "generator"), ("P0650", "malfunction indicator lamp"), ("P0682", "glow plug|cylinder 12"),
    ("P0699", "reference voltage C|high"), ("P0700", "transmission control"), ("P0715", "turbine speed"),
    ("P0729", "gear 6"), ("P0736", "reverse"), ("P0741", "torque converter clutch|stuck off"),
    ("P0773", "shift solenoid E|electrical"), ("P0799", "pressure control solenoid C|intermittent"),
    ("P0841", "fluid pressure sensor A|implausible"), ("P0894", "slips"), ("P0986", "shift solenoid E|high"),
    ("P0A0F", "failed to start"), ("P0A80", "battery|replace"), ("P0A94", "DC/DC"), ("P0AA6", "isolation"),
    ("P2002", "particulate filter|bank 1"), ("P2015", "intake runner|implausible|bank 1"),
    ("P203F", "reductant level|low"),
    ("P2096", "after catalyst|lean|bank 1"), ("P2099", "after catalyst|rich|bank 2"),
    ("P20EE", "SCR|efficiency|bank 1"),
    ("P207F", "reductant quality"), ("P2111", "throttle|open"), ("P2135", "A and B"), ("P2138", "D and E"),
    ("P2187", "lean|idle|bank 1"), ("P2194", "rich|higher load|bank 2"), ("P2195", "oxygen|lean|bank 1 sensor 1"),
    ("P2263", "boost system"), ("P2273", "oxygen|rich|bank 2 sensor 2"), ("P229F", "NOx sensor 2|implausible"),
    ("P2335", "coil L|secondary"), ("P242F", "ash"), ("P2463", "soot"), ("P2453", "filter pressure|implausible"),
    ("P2503", "charging voltage low"), ("P2563", "boost control position"), ("P2610", "engine-off timer"),
    ("P2646", "rocker arm|A|stuck off|bank 1"), ("P2764", "converter clutch|low"),
    ("P2A00", "oxygen|implausible|bank 1 sensor 1"),
    ("P2A05", "bank 2 sensor 3"), ("P2BAD", "NOx|unknown"), ("P3441", "cylinder 6"),
    ("C0031", "left front wheel speed"),
    ("C0034", "right front wheel speed"), ("C003A", "right rear wheel speed"), ("C0063", "yaw rate"),
    ("B0001", "driver|airbag"), ("B0028", "right side airbag"), ("U0001", "high-speed CAN"), ("U0073", "bus A off"),
    ("U0100", "no communication|engine control module A"), ("U0101", "no communication|transmission"),
    ("U0121", "no communication|anti-lock brake"), ("U0140", "no communication|body control"),
    ("U0155", "no communication|instrument cluster"), ("U0164", "climate"), ("U0235", "distance sensor"),
    ("U0330", "software|tyre pressure"), ("U0415", "invalid data|anti-lock"), ("U0430", "invalid data|tyre pressure"),
    ("U3003", "battery voltage"),
  ])
  func the_text_says_what_the_code_means(code: String, keywords: String) throws {
    let number = try #require(CodeName(parsing: code)).number
    let text = try #require(catalog.text(for: number))
    for keyword in keywords.split(separator: "|") { #expect(text.contains(keyword), "\(code): \(text)") }
  }
}
