"""When two meets are the same: canonical form, digest and equality."""
