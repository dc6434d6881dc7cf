"""The rules in force, the requests that wait, and what a rule would do."""
