/// A table of common makes and their world manufacturer identifiers (ISO 3780), which are the first three characters of
/// a VIN.
///
/// A prefix of two characters in the table stands for all identifiers that begin with it. If several prefixes match,
/// the longest one is used. Identifiers that several makes share are left out: an unknown make is better than a wrong
/// one.
enum WorldManufacturer {
  /// Returns the make of a vehicle; `nil` if the table does not contain its identifier.
  static func make(of vin: InlineArray<17, UInt8>) -> String? {
    let table = table.span
    var make: StaticString?
    var matched = 0
    for index in table.indices {
      let prefix = table[index].prefix
      if prefix.utf8CodeUnitCount > matched, matches(prefix, vin) {
        make = table[index].make
        matched = prefix.utf8CodeUnitCount
      }
    }
    return make.map { $0.description }
  }

  private static func matches(_ prefix: StaticString, _ vin: InlineArray<17, UInt8>) -> Bool {
    for index in 0..<prefix.utf8CodeUnitCount {
      // `index` is less than the length of the prefix.
      if unsafe prefix.utf8Start[index] != vin[index] { return false }
    }
    return true
  }

  private struct Row: BitwiseCopyable, Sendable {
    let prefix: StaticString
    let make: StaticString
  }

  private static func row(_ prefix: StaticString, _ make: StaticString) -> Row { Row(prefix: prefix, make: make) }

  private static let table: [Row] = [
    row("1B3", "Dodge"), row("1D3", "Dodge"), row("1D4", "Dodge"), row("1D7", "Dodge"), row("1FA", "Ford"),
    row("1FB", "Ford"), row("1FC", "Ford"), row("1FD", "Ford"), row("1FM", "Ford"), row("1FT", "Ford"),
    row("1FU", "Freightliner"), row("1FV", "Freightliner"), row("1G1", "Chevrolet"), row("1G2", "Pontiac"),
    row("1G3", "Oldsmobile"), row("1G4", "Buick"), row("1G6", "Cadillac"), row("1G8", "Saturn"),
    row("1GC", "Chevrolet"), row("1GK", "GMC"), row("1GM", "Pontiac"), row("1GN", "Chevrolet"), row("1GT", "GMC"),
    row("1GY", "Cadillac"), row("1HD", "Harley-Davidson"), row("1HG", "Honda"), row("1J4", "Jeep"),
    row("1J8", "Jeep"), row("1L1", "Lincoln"), row("1LN", "Lincoln"), row("1M1", "Mack"), row("1M2", "Mack"),
    row("1ME", "Mercury"), row("1N4", "Nissan"), row("1N6", "Nissan"), row("1NX", "Toyota"), row("1V2", "Volkswagen"),
    row("1VW", "Volkswagen"), row("1XK", "Kenworth"), row("1XP", "Peterbilt"), row("1YV", "Mazda"),
    row("2D4", "Dodge"), row("2FA", "Ford"), row("2FM", "Ford"), row("2FT", "Ford"), row("2G1", "Chevrolet"),
    row("2G2", "Pontiac"), row("2G4", "Buick"), row("2G6", "Cadillac"), row("2GC", "Chevrolet"),
    row("2GN", "Chevrolet"), row("2GT", "GMC"), row("2HG", "Honda"), row("2HH", "Acura"), row("2HJ", "Honda"),
    row("2HK", "Honda"), row("2HM", "Hyundai"), row("2HN", "Acura"), row("2LM", "Lincoln"), row("2ME", "Mercury"),
    row("2T1", "Toyota"), row("2T2", "Lexus"), row("2T3", "Toyota"), row("3C6", "Ram"), row("3D7", "Dodge"),
    row("3FA", "Ford"), row("3FM", "Ford"), row("3FR", "Ford"), row("3FT", "Ford"), row("3G1", "Chevrolet"),
    row("3GC", "Chevrolet"), row("3GN", "Chevrolet"), row("3GT", "GMC"), row("3HG", "Honda"), row("3LN", "Lincoln"),
    row("3MY", "Toyota"), row("3MZ", "Mazda"), row("3N1", "Nissan"), row("3N6", "Nissan"), row("3TM", "Toyota"),
    row("3TY", "Toyota"), row("3VV", "Volkswagen"), row("3VW", "Volkswagen"), row("4A3", "Mitsubishi"),
    row("4A4", "Mitsubishi"), row("4F2", "Mazda"), row("4F4", "Mazda"), row("4JG", "Mercedes-Benz"),
    row("4M2", "Mercury"), row("4S3", "Subaru"), row("4S4", "Subaru"), row("4T1", "Toyota"), row("4T3", "Toyota"),
    row("4T4", "Toyota"), row("4US", "BMW"), row("4UZ", "Freightliner"), row("4V4", "Volvo Trucks"),
    row("5FN", "Honda"), row("5FP", "Honda"), row("5FR", "Acura"), row("5J6", "Honda"), row("5J8", "Acura"),
    row("5KB", "Honda"), row("5L1", "Lincoln"), row("5LM", "Lincoln"), row("5N1", "Nissan"), row("5N3", "Infiniti"),
    row("5NM", "Hyundai"), row("5NP", "Hyundai"), row("5NT", "Hyundai"), row("5TB", "Toyota"), row("5TD", "Toyota"),
    row("5TE", "Toyota"), row("5TF", "Toyota"), row("5UM", "BMW"), row("5UX", "BMW"), row("5XX", "Kia"),
    row("5XY", "Kia"), row("5YF", "Toyota"), row("5YJ", "Tesla"), row("5YM", "BMW"), row("6F4", "Nissan"),
    row("6FP", "Ford"), row("6G1", "Holden"), row("6G2", "Pontiac"), row("6H8", "Holden"), row("6MM", "Mitsubishi"),
    row("6T1", "Toyota"), row("7FA", "Honda"), row("7FC", "Rivian"), row("7MU", "Toyota"), row("7PD", "Rivian"),
    row("7SA", "Tesla"), row("7SV", "Toyota"), row("7YA", "Hyundai"), row("8A1", "Renault"), row("8AD", "Peugeot"),
    row("8AF", "Ford"), row("8AG", "Chevrolet"), row("8AJ", "Toyota"), row("8AP", "Fiat"), row("8AW", "Volkswagen"),
    row("935", "Citroën"), row("936", "Peugeot"), row("93H", "Honda"), row("93Y", "Renault"), row("9BD", "Fiat"),
    row("9BF", "Ford"), row("9BG", "Chevrolet"), row("9BH", "Hyundai"), row("9BM", "Mercedes-Benz"),
    row("9BR", "Toyota"), row("9BW", "Volkswagen"), row("JA3", "Mitsubishi"), row("JA4", "Mitsubishi"),
    row("JAA", "Isuzu"), row("JAC", "Isuzu"), row("JAL", "Isuzu"), row("JDA", "Daihatsu"), row("JF1", "Subaru"),
    row("JF2", "Subaru"), row("JH2", "Honda"), row("JH4", "Acura"), row("JHL", "Honda"), row("JHM", "Honda"),
    row("JKA", "Kawasaki"), row("JM1", "Mazda"), row("JM3", "Mazda"), row("JMB", "Mitsubishi"),
    row("JMY", "Mitsubishi"), row("JMZ", "Mazda"), row("JN1", "Nissan"), row("JN3", "Nissan"), row("JN6", "Nissan"),
    row("JN8", "Nissan"), row("JNK", "Infiniti"), row("JNR", "Infiniti"), row("JS2", "Suzuki"), row("JS3", "Suzuki"),
    row("JSA", "Suzuki"), row("JT2", "Toyota"), row("JT3", "Toyota"), row("JT4", "Toyota"), row("JT6", "Lexus"),
    row("JT8", "Lexus"), row("JTD", "Toyota"), row("JTE", "Toyota"), row("JTH", "Lexus"), row("JTJ", "Lexus"),
    row("JTM", "Toyota"), row("JTN", "Toyota"), row("JYA", "Yamaha"), row("KL1", "Chevrolet"), row("KL4", "Buick"),
    row("KL7", "Chevrolet"), row("KM8", "Hyundai"), row("KMF", "Hyundai"), row("KMH", "Hyundai"),
    row("KMT", "Genesis"), row("KNA", "Kia"), row("KNC", "Kia"), row("KND", "Kia"), row("KNE", "Kia"),
    row("KPA", "SsangYong"), row("KPT", "SsangYong"), row("L6T", "Geely"), row("LB3", "Geely"), row("LC0", "BYD"),
    row("LFM", "Toyota"), row("LGB", "Nissan"), row("LGW", "Great Wall"), row("LGX", "BYD"), row("LHG", "Honda"),
    row("LPS", "Polestar"), row("LRW", "Tesla"), row("LS5", "Changan"), row("LSJ", "MG"), row("LVG", "Toyota"),
    row("LVH", "Honda"), row("LVV", "Chery"), row("LVY", "Volvo"), row("LYV", "Volvo"), row("MA1", "Mahindra"),
    row("MA3", "Suzuki"), row("MAJ", "Ford"), row("MAK", "Honda"), row("MAL", "Hyundai"), row("MAT", "Tata"),
    row("MBH", "Suzuki"), row("MBJ", "Toyota"), row("MEE", "Renault"), row("MHF", "Toyota"), row("MHR", "Honda"),
    row("MMB", "Mitsubishi"), row("MMC", "Mitsubishi"), row("MMM", "Chevrolet"), row("MMT", "Mitsubishi"),
    row("MNB", "Ford"), row("MNT", "Nissan"), row("MPA", "Isuzu"), row("MR0", "Toyota"), row("MR2", "Toyota"),
    row("MRH", "Honda"), row("MZB", "Kia"), row("NLE", "Mercedes-Benz"), row("NLH", "Hyundai"), row("NM0", "Ford"),
    row("NMT", "Toyota"), row("PE1", "Ford"), row("PL1", "Proton"), row("PM2", "Perodua"), row("SAD", "Jaguar"),
    row("SAJ", "Jaguar"), row("SAL", "Land Rover"), row("SAR", "Rover"), row("SB1", "Toyota"), row("SBM", "McLaren"),
    row("SCA", "Rolls-Royce"), row("SCB", "Bentley"), row("SCC", "Lotus"), row("SCF", "Aston Martin"),
    row("SFD", "Alexander Dennis"), row("SHH", "Honda"), row("SHS", "Honda"), row("SJN", "Nissan"),
    row("SMT", "Triumph"), row("TMA", "Hyundai"), row("TMB", "Škoda"), row("TRU", "Audi"), row("TSM", "Suzuki"),
    row("UU1", "Dacia"), row("VBK", "KTM"), row("VF1", "Renault"), row("VF3", "Peugeot"),
    row("VF6", "Renault Trucks"), row("VF7", "Citroën"), row("VF9", "Bugatti"), row("VFA", "Alpine"),
    row("VNK", "Toyota"), row("VR1", "DS"), row("VR3", "Peugeot"), row("VR7", "Citroën"), row("VSK", "Nissan"),
    row("VSS", "SEAT"), row("VSX", "Opel"), row("VWV", "Volkswagen"), row("VXK", "Opel"), row("W0L", "Opel"),
    row("W0V", "Opel"), row("W1A", "smart"), row("W1K", "Mercedes-Benz"), row("W1N", "Mercedes-Benz"),
    row("W1V", "Mercedes-Benz"), row("WA1", "Audi"), row("WAU", "Audi"), row("WB1", "BMW Motorrad"),
    row("WBA", "BMW"), row("WBS", "BMW"), row("WBX", "BMW"), row("WBY", "BMW"), row("WDB", "Mercedes-Benz"),
    row("WDC", "Mercedes-Benz"), row("WDD", "Mercedes-Benz"), row("WDF", "Mercedes-Benz"), row("WF0", "Ford"),
    row("WF1", "Merkur"), row("WJM", "Iveco"), row("WKK", "Setra"), row("WMA", "MAN"), row("WME", "smart"),
    row("WMW", "MINI"), row("WP0", "Porsche"), row("WP1", "Porsche"), row("WUA", "Audi"), row("WV1", "Volkswagen"),
    row("WV2", "Volkswagen"), row("WV3", "Volkswagen"), row("WVG", "Volkswagen"), row("WVW", "Volkswagen"),
    row("X4X", "BMW"), row("X7L", "Renault"), row("X96", "GAZ"), row("X9F", "Ford"), row("XLR", "DAF"),
    row("XMC", "Mitsubishi"), row("XTA", "Lada"), row("XTH", "GAZ"), row("XTT", "UAZ"), row("XUF", "Opel"),
    row("XW7", "Toyota"), row("XWE", "Kia"), row("YCM", "Mazda"), row("YK1", "Saab"), row("YS2", "Scania"),
    row("YS3", "Saab"), row("YS4", "Scania"), row("YSM", "Polestar"), row("YV1", "Volvo"), row("YV2", "Volvo Trucks"),
    row("YV3", "Volvo Buses"), row("YV4", "Volvo"), row("ZAM", "Maserati"), row("ZAP", "Piaggio"),
    row("ZAR", "Alfa Romeo"), row("ZAS", "Alfa Romeo"), row("ZCF", "Iveco"), row("ZDM", "Ducati"), row("ZFA", "Fiat"),
    row("ZFC", "Fiat"), row("ZFF", "Ferrari"), row("ZHW", "Lamborghini"), row("ZLA", "Lancia"),
    row("ZN6", "Maserati"), row("ZPB", "Lamborghini"),
  ]
}
