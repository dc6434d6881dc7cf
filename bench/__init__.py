"""Speed of MAIA beside a bare server measured in the same run: `make bench`."""
