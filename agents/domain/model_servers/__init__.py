"""Where models answer, and with which key."""
