"""BCubed Revisited: Elements Like Me (van Heusden, Kamps and Marx 2022)."""
