"""Management: the commands of manage.py and the servers they run."""
