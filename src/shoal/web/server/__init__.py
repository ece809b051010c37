"""The server: who may come in, what jobs are asked for and do, and the interface for pipelines. It knows no page."""
