"""What is measured on: accounts, conversations, Django here."""
