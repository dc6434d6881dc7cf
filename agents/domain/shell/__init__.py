"""How bash is read: words, commands, programs, and the files they would write.

A line becomes words (`words`, `pieces`, `ansi`, `heredocs`), words become commands (`reader`,
`compound`; `opinion` asks a second parser), a command the program it would start (`names`,
`wrappers`, `git`), what that does with its arguments (`arguments`, `guards`, `editors`,
`programs/`) and the files it would write (`targets`, `written`). What is not known for certain is
a value too, and asks.
"""
