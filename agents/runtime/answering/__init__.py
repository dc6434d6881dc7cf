"""What answers a turn: the loop with its adapters, a command, a compaction."""
