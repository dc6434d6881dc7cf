"""Signing in, the first start, one's own account, and the people of the site."""
