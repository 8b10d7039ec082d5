"""The reason why a model cannot be converted or drawn."""


class Problem(Exception):
    """The model cannot be converted or drawn. The text is for people."""
