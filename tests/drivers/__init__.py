"""The driver seam, on a server that can be made to fail."""
