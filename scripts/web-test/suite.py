"""The list of tests, and what they share."""
PASSWORD = "correct horse battery staple 7"
# Chromium's message about a request that the server refuses, as tests provoke it.
REFUSED = "Failed to load resource"
XSS = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>"
# Messages that appear only because pages are drawn without a graphics processor.
IGNORED = ["GPU stall due to ReadPixels"]
TESTS = []


def test(function):
    TESTS.append(function)
    return function
