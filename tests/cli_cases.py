"""What tests of the command line ask of an answer."""


def failed(result, code, *parts):
    """One sentence on standard error, the right exit code, no traceback."""
    assert result.exit_code == code, result.output
    assert result.stderr.startswith("shoal: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr
    return True
