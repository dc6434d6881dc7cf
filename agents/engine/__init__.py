"""The loop: model calls and tool calls of one turn; asynchronous, and knows ports alone.

A turn takes steps; a step streams one call of the model into the answer; its tool calls are asked
for one by one and run side by side; each is in the journal before it begins and when it has ended.
"""
