"""Names: when two are one, and the column by which a database tells."""
