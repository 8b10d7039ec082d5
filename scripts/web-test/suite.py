"""The list of tests, and what they share."""
PASSWORD = "correct horse battery staple 7"
# Chromium's message about a request that the server refuses, as tests provoke it.
REFUSED = "Failed to load resource"
XSS = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>"
TESTS = []


def test(function):
    TESTS.append(function)
    return function
