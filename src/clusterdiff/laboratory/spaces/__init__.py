"""Small clusterings that conditions are tried on."""
