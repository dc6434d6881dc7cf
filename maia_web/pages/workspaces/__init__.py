"""The pages of a workspace."""
