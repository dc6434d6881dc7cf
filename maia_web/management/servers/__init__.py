"""The servers that can run the application: daphne (the default) and uvicorn."""
