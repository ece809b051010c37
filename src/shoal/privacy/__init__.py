"""The judges: each claim checked from its definition, sharing no code with any maker."""
