"""What is read from files: skills, tools, settings; as values, with what is wrong in them."""
