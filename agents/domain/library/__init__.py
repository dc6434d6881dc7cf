"""What is read from files: skills, tools, settings, and what is wrong in them."""
