"""What the rules say of a call, and what people are asked and answer.

A text becomes a rule (`text`), rules become a `policy`. A call is judged by family (`judgement`):
Bash by its parts (`bash`, `commands`), all else by its paths and values (`calls`, `paths`,
`values`), links and files that run later included (`real_paths`, `later_cover`). What comes out
is a `verdict`; where it asks, a request with its offers.
"""
