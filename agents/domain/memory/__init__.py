"""What a model has in mind: context, its size, compaction, saved sessions."""
