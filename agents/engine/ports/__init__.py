"""What the loop needs from the world, as Protocols, one subject a file; adapters hold no policy."""
