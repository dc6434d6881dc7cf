"""What a person types: which kind of line it is, whom and what it names, what it is answered."""
