"""How bash is read: words, commands, programs, and the files they would write."""
