"""The rules pages: of the site, of a workspace, one's own."""
