"""What an agent remembers: sessions, their names, the size of their context."""
