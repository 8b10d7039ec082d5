import FleetDomain
import FleetWork
import Foundation
import TestKit
import Testing

@testable import FleetFiles

/// What the image helper reads on photos of barcodes, plates, instruments and receipts, which the tests draw.
@Suite struct PhotoTests {
  private static let folder = TestData.projectRoot + "/Sources/Fleet/FleetFiles/Helper"
  private static let networks = TestData.projectRoot + "/.tools/recognizer"

  /// Returns a photo: the picture that Python code draws into `image`, turned a little, blurred and with noise.
  ///
  /// - Parameter code: lines that may use `image`, `draw`, `font(size)`, `segments(x, y, height, digits)` and `arguments`.
  private static func photo(_ code: String, _ arguments: [String] = [], size: String = "1600, 1000") throws -> [UInt8] {
    let script = """
      import sys
      from PIL import Image, ImageDraw, ImageFilter, ImageFont
      arguments = sys.argv[1:]
      image = Image.new("RGB", (\(size)), "#ddd")
      draw = ImageDraw.Draw(image)
      def font(size):
          return ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf", size)
      SEGMENTS = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"]
      def segments(x, y, height, digits):
          w, t, m = height / 2, height / 9, y + height / 2
          for digit in digits:
              places = {"a": (x + t, y, x + w - t, y + t), "g": (x + t, m - t / 2, x + w - t, m + t / 2),
                        "d": (x + t, y + height - t, x + w - t, y + height), "f": (x, y + t, x + t, m - t / 4),
                        "b": (x + w - t, y + t, x + w, m - t / 4), "e": (x, m + t / 4, x + t, y + height - t),
                        "c": (x + w - t, m + t / 4, x + w, y + height - t)}
              for segment in SEGMENTS[int(digit)]:
                  draw.rectangle(places[segment], fill="black")
              x += w * 1.35
      \(code)
      image = image.rotate(3, fillcolor="#ddd", resample=3).filter(ImageFilter.GaussianBlur(1))
      image = Image.blend(image, Image.effect_noise(image.size, 60).convert("RGB"), 0.1)
      image.save(sys.stdout.buffer, "JPEG", quality=85)
      """
    let made = try Tool.run("/usr/bin/python3", ["-c", script] + arguments)
    #expect(made.status == 0, "\(made.errors)")
    return made.stdout
  }

  /// Reads a photo in the sandbox.
  private static func read(
    _ subject: ImageHelper.Subject, _ photo: [UInt8], with networks: String? = networks
  ) async throws -> JSON {
    try Tool.requireSandbox()
    let scratch = try ScratchFolder()
    let store = try FolderFileStore(folder: scratch.file("files"))
    let content = try await store.open(try await store.store(photo, tenant: .standard), tenant: .standard)
    return try await ImageHelper(folder: folder, recognizer: networks).reading(of: subject, in: content)
  }

  /// The numbers of zint's kinds of barcodes: Code 39, Code 128, QR code, Data Matrix.
  @Test(arguments: [8, 20, 58, 71])
  func a_VIN_is_read_from_a_barcode(_ kind: Int) async throws {
    let scratch = try ScratchFolder()
    let file = scratch.file("code.png")
    // The example of the standard, whose check digit is X.
    let vin = "1M8GDM9AXKP042788"
    let made = try Tool.run(try Tool.required("zint"), ["-b", "\(kind)", "-d", vin, "-o", file, "--scale", "4"])
    #expect(made.status == 0, "\(made.errors)")
    let photo = try Self.photo(
      """
      code = Image.open(arguments[0]).convert("RGB")
      factor = min(1000 / code.width, 500 / code.height)
      image.paste(code.resize((int(code.width * factor), int(code.height * factor))), (250, 200))
      """, [file])
    let reading = try VINReading(json: try await Self.read(.vin, photo, with: nil))
    #expect(reading.vin?.value == .text(vin) && reading.source == .barcode && reading.hasCheckDigit)
    let box = try #require(reading.vin?.box)
    #expect(box[0] > 0.1 && box[0] + box[2] < 0.9, "\(box)")
  }

  private static let plate = #"draw.text((150, 300), arguments[0], font=font(70), fill="black")"#

  @Test func a_VIN_on_a_plate_is_read_if_its_check_digit_is_right() async throws {
    let right = try VINReading(
      json: try await Self.read(.vin, try Self.photo(Self.plate, ["1M8GDM9AXKP042788"])))
    #expect(right.vin?.value == .text("1M8GDM9AXKP042788") && right.source == .text && right.hasCheckDigit)
    // A North American VIN with another check digit is not one.
    let wrong = try VINReading(
      json: try await Self.read(.vin, try Self.photo(Self.plate, ["1M8GDM9A1KP042788"])))
    #expect(wrong.vin == nil)
  }

  @Test func a_European_VIN_without_a_check_digit_is_an_uncertain_proposal() async throws {
    let reading = try VINReading(
      json: try await Self.read(.vin, try Self.photo(Self.plate, ["WVWZZZ1JZ3W386752"])))
    #expect(reading.vin?.value == .text("WVWZZZ1JZ3W386752") && !reading.hasCheckDigit)
    #expect(try #require(reading.vin?.confidence) <= 0.7)
  }

  @Test func two_VINs_are_not_a_proposal() async throws {
    let code = Self.plate + "\n" + #"draw.text((150, 600), arguments[1], font=font(70), fill="black")"#
    let photo = try Self.photo(code, ["1M8GDM9AXKP042788", "1FTFW1ET5DFC10312"])
    #expect(try VINReading(json: try await Self.read(.vin, photo)).vin == nil)
  }

  @Test func an_odometer_is_read_beside_other_numbers() async throws {
    let code = """
      draw.text((420, 250), "ODO", font=font(40), fill="black")
      segments(420, 320, 140, arguments[0])
      draw.text((1060, 400), "km", font=font(60), fill="black")
      draw.text((420, 560), "TRIP 123.4", font=font(50), fill="black")
      draw.text((900, 560), "12:34", font=font(50), fill="black")
      draw.text((200, 800), "120", font=font(40), fill="black")
      """
    let reading = try OdometerReading(json: try await Self.read(.odometer, try Self.photo(code, ["153661"])))
    #expect(reading.odometer?.value.integerValue == 153_661 && reading.unit == .kilometres)
  }

  @Test func two_numbers_that_may_be_the_odometer_are_not_a_proposal() async throws {
    let code = """
      draw.text((300, 250), arguments[0] + " km", font=font(80), fill="black")
      draw.text((300, 600), arguments[1] + " km", font=font(80), fill="black")
      """
    let reading = try OdometerReading(json: try await Self.read(.odometer, try Self.photo(code, ["153661", "98234"])))
    #expect(reading.odometer == nil)
  }

  /// Networks that cannot be loaded are as good as none: tesseract reads the receipt, and the answer states the reason.
  @Test func tesseract_reads_a_receipt_if_the_networks_cannot_be_loaded() async throws {
    let code = #"draw.text((100, 100), "SUMME EUR 64,12", font=font(60), fill="black")"#
    let photo = try Self.photo(code, size: "1000, 300")
    let scratch = try ScratchFolder()
    try scratch.write("PP-OCRv6_rec_small.onnx", "damaged")
    try scratch.write("onnxruntime.py", "raise ImportError(name='onnxruntime.capi')")
    let alone = try await Self.read(.receipt, photo, with: scratch.path)
    guard case .tesseract(let reason)? = TextReader(json: alone) else {
      Issue.record("expected tesseract, found \(alone.canonicalText)")
      return
    }
    #expect(reason.hasSuffix(" cannot load onnxruntime.capi"), "\(reason)")
    #expect(try ReceiptReading(json: alone).isPreliminary == false)
    // A VIN and an odometer are only read with the networks.
    let plate = try await Self.read(.vin, try Self.photo(Self.plate, ["1M8GDM9AXKP042788"]), with: scratch.path)
    #expect(TextReader(json: plate) == .missing(reason) && plate["vin"] == nil)
  }

  /// A receipt in a photo that is not straight, read by the networks and by tesseract.
  @Test(arguments: [networks, nil])
  func a_receipt_is_read(with networks: String?) async throws {
    let lines = [
      "TANKSTELLE HUBER GMBH", "HAUPTSTRASSE 7", "1010 WIEN", "UID: ATU12345678", "RECHNUNG", "04.05.2026 17:31",
      "ZAPFSAEULE 3 DIESEL", "40,10 L x 1,599 EUR/L", "SUMME EUR 64,12", "MWST 20 % 10,69",
    ]
    let code = #"""
      for number, line in enumerate(arguments):
          draw.text((100, 100 + 60 * number), line, font=font(38), fill="black")
      """#
    let photo = try Self.photo(code, lines, size: "800, 900")
    let answer = try await Self.read(.receipt, photo, with: networks)
    let reader: TextReader = networks == nil ? .tesseract("the networks are not installed") : .networks
    #expect(TextReader(json: answer) == reader)
    let reading = try ReceiptReading(json: answer)
    let expected = ["date": "2026-05-04", "time": "17:31", "total": "64.12", "currency": "EUR", "quantity": "40.10"]
    for (key, value) in expected {
      // Tesseract may leave a value out, but reports no other one.
      let found = reading.values[key]?.value.textValue
      #expect(found == value || found == nil && networks == nil, "\(key): \(found ?? "nothing")")
    }
    if networks != nil {
      #expect(reading.values["merchant"]?.value.textValue == "TANKSTELLE HUBER GMBH" && reading.energy == .diesel)
    }
  }
}
