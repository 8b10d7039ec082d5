import Testing

@testable import OBDWire

/// Properties of every row of the table.
@Suite struct TablesSAESignalTests {
  private var rows: [SAESignal] { saeSignals.span.indices.map { saeSignals.span[$0] } }

  @Test func rows_stand_in_the_order_of_service_identifier_layout_and_bit() {
    for (a, b) in zip(rows, rows.dropFirst()) {
      let (left, right) = (a.definition, b.definition)
      let isSameGroup = left.service == right.service && left.identifier == right.identifier
      if isSameGroup, SAESignals.dependsOnLayout(left.identifier), right.bitOffset == 0 { continue }
      #expect(
        (left.service, left.identifier, left.bitOffset) <= (right.service, right.identifier, right.bitOffset),
        "\(a.name) before \(b.name)")
    }
  }

  @Test func every_value_lies_inside_its_answer() {
    for row in rows where row.definition.service == 1 {
      let definition = row.definition
      var length = Int(saeParameterLengths.span[Int(definition.identifier)])
      #expect(length > 0, "\(row.name)")
      switch definition.identifier {
      case 0x06...0x09, 0x55...0x58: length += 1  // banks 3 and 4, on engines with PID 1D
      default: break
      }
      #expect(definition.bitLength >= 1 && definition.bitLength <= 64)
      #expect(Int(definition.bitOffset) + Int(definition.bitLength) <= length * 8, "\(row.name)")
    }
  }

  @Test func each_signal_name_occurs_once() {
    var seen: [String: UInt16] = [:]
    for row in rows {
      let name = "\(row.name)"
      let isWord = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } && name.first?.isLowercase == true
      #expect(isWord, "\(name)")
      if let other = seen[name] {
        // Only the rows for the different layouts of oxygen sensors have the same sensor in several groups.
        #expect(SAESignals.dependsOnLayout(other) && SAESignals.dependsOnLayout(row.definition.identifier), "\(name)")
      }
      seen[name] = row.definition.identifier
    }
  }

  @Test func names_of_one_layout_are_unique() {
    for layout in [OxygenSensorLayout.unknown, .twoBanks, .fourBanks] {
      var names: Set<String> = []
      for pid in UInt16(0x01)...0xC8 {
        for index in SAESignals.rows(service: 1, identifier: pid, layout: layout) {
          #expect(names.insert("\(saeSignals.span[index].name)").inserted, "\(saeSignals.span[index].name)")
        }
      }
    }
  }

  @Test func layouts_differ_in_names_alone() {
    for pid in UInt16(0x14)...0x3B where SAESignals.dependsOnLayout(pid) {
      let groups = [OxygenSensorLayout.unknown, .twoBanks, .fourBanks].map { layout in
        SAESignals.rows(service: 1, identifier: pid, layout: layout).map { saeSignals.span[$0].definition }
      }
      #expect(groups[0].count == 2)
      for group in groups.dropFirst() {
        for (a, b) in zip(groups[0], group) {
          #expect(a.bitOffset == b.bitOffset && a.bitLength == b.bitLength && a.unit == b.unit)
          #expect(a.factor == b.factor && a.offset == b.offset && a.rescale == b.rescale)
        }
        #expect(group.count == 2)
      }
    }
  }

  @Test(arguments: [
    (UInt16(0x14), "oxygenSensor", "oxygenSensor", "oxygenSensor"),
    (0x16, "oxygenSensor3", "oxygenSensorBank1Sensor3", "oxygenSensorBank2Sensor1"),
    (0x18, "oxygenSensor5", "oxygenSensorBank2Sensor1", "oxygenSensorBank3Sensor1"),
    (0x1B, "oxygenSensor8", "oxygenSensorBank2Sensor4", "oxygenSensorBank4Sensor2"),
  ])
  func bank_and_sensor_come_from_the_layout(pid: UInt16, unknown: String, two: String, four: String) {
    func name(_ layout: OxygenSensorLayout) -> String {
      "\(saeSignals.span[SAESignals.rows(service: 1, identifier: pid, layout: layout).lowerBound].name)"
    }
    #expect(name(.unknown) == unknown)
    #expect(name(.twoBanks) == two)
    #expect(name(.fourBanks) == four)
  }

  @Test func flags_are_one_bit_and_codes_have_texts() {
    for row in rows {
      switch row.definition.kind {
      case .flag:
        #expect(row.definition.bitLength == 1 && row.definition.unit == .none, "\(row.name)")
        let isPlain = row.definition.factor == 1 && row.definition.offset == 0
        let isInverted = row.definition.factor == -1 && row.definition.offset == 1
        #expect(isPlain || isInverted, "\(row.name)")
      case .enumeration:
        #expect(SAEEnumeration(rawValue: row.definition.enumeration) != nil, "\(row.name)")
        let codes = 0..<(UInt32(1) << UInt32(min(row.definition.bitLength, 8)))
        let texts = codes.filter {
          SAEEnumerations.text(enumeration: row.definition.enumeration, code: $0) != nil
        }
        #expect(texts.count >= 2, "\(row.name)")
      case .number: #expect(row.definition.factor != 0, "\(row.name)")
      }
    }
  }

  @Test func a_support_bit_is_itself_a_signal_of_the_answer() {
    for row in rows where row.definition.supportBit != SignalDefinition.noBit {
      let support = SAESignals.rows(service: 1, identifier: row.definition.identifier)
        .map { saeSignals.span[$0] }
        .filter { $0.definition.bitOffset == UInt16(row.definition.supportBit) && $0.definition.kind == .flag }
      #expect(!support.isEmpty, "\(row.name)")
      #expect(support.allSatisfy { "\($0.name)".hasSuffix("Supported") }, "\(row.name)")
    }
  }

  @Test func bits_c_and_d_of_readiness_depend_on_the_ignition() {
    for pid in [UInt16(0x01), 0x41] {
      let variants = SAESignals.rows(service: 1, identifier: pid).map { saeSignals.span[$0] }
        .filter { $0.definition.variantBit != SignalDefinition.noBit }
      #expect(variants.allSatisfy { $0.definition.variantBit == 12 && $0.definition.bitOffset >= 16 })
      #expect(variants.count(where: \.definition.variantValue) == 10)
      #expect(variants.count { !$0.definition.variantValue } == 14)
    }
  }

  @Test func signals_that_PIDs_4F_and_50_rescale_are_marked() {
    for row in rows {
      let marked = row.definition.rescale != .none
      let isRedefined =
        switch row.definition.identifier {
        case 0x0B, 0x10, 0x24...0x2B, 0x34...0x3B, 0x44: row.definition.service == 1
        default: false
        }
      #expect(marked == isRedefined, "\(row.name)")
    }
  }

  @Test func a_vss_path_names_one_signal_and_not_the_removed_branch() {
    var seen: Set<String> = []
    for row in rows {
      let path = "\(row.vss)"
      if path.isEmpty { continue }
      #expect(path.hasPrefix("Vehicle.") && !path.hasPrefix("Vehicle.OBD."), "\(row.name)")
      #expect(seen.insert(path).inserted, "\(path)")
    }
    #expect(seen.contains("Vehicle.Speed") && seen.contains("Vehicle.Powertrain.CombustionEngine.Speed"))
  }

  @Test(arguments: [
    ("rpm", UInt16(0x0C), "rpm"), ("speed", 0x0D, "km/h"), ("throttlePosition", 0x11, "%"),
    ("engineLoad", 0x04, "%"), ("coolantTemp", 0x05, "°C"), ("intakeAirTemp", 0x0F, "°C"), ("maf", 0x10, "g/s"),
    ("fuelLevel", 0x2F, "%"), ("fuelType", 0x51, ""), ("fuelRate", 0x5E, "L/h"), ("fuelPressure", 0x0A, "kPa"),
    ("mil", 0x01, ""), ("distanceMIL", 0x21, "km"), ("controlModuleVoltage", 0x42, "V"), ("oxygenSensor", 0x14, "V"),
    ("batteryVoltage", 0x00, "V"),
  ])
  func names_and_units_that_fleets_use(name: String, identifier: UInt16, unit: String) {
    let row = rows.first { "\($0.name)" == name }
    #expect(row?.definition.identifier == identifier)
    #expect(row?.definition.bitOffset == 0)
    #expect(row.map { "\($0.definition.unit.symbol)" } == unit)
  }

  @Test func every_pid_of_the_standard_has_rows_and_others_have_none() {
    for pid in UInt16(0)...0xFF {
      let hasRows = !SAESignals.rows(service: 1, identifier: pid).isEmpty
      let length = saeParameterLengths.span[Int(pid)]
      if pid & 0x1F == 0 {
        #expect(length == 4 || pid > 0xE0, "bitmaps have four bytes")
        #expect(!hasRows)
      } else if pid == 0x02 {
        #expect(length == 2 && !hasRows)  // a trouble code, not a signal
      } else {
        #expect(hasRows == (length > 0), "\(String(pid, radix: 16))")
      }
    }
    #expect(SAESignals.rows(service: 1, identifier: 0x95).isEmpty)
    #expect(SAESignals.rows(service: 9, identifier: 0x08).count == 28)
    #expect(SAESignals.rows(service: 9, identifier: 0x0B).count == 18)
    #expect(SAESignals.rows(service: 0, identifier: 0) == 0..<1)
    #expect(SAESignals.rows(service: 0x22, identifier: 0x0C).isEmpty)
  }

  @Test func counters_of_service_09_follow_each_other_without_a_gap() {
    for infoType in [UInt16(0x08), 0x0B] {
      for (index, row) in SAESignals.rows(service: 9, identifier: infoType).enumerated() {
        #expect(saeSignals.span[row].definition.bitOffset == UInt16(index * 16))
        #expect(saeSignals.span[row].definition.bitLength == 16)
      }
    }
  }
}
