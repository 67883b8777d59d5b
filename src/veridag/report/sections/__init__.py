"""The values that the page shows, a module for each section, which prepares them for the template of the same name.

No words are here that a reader sees, and no HTML but drawings.
"""
