"""The contract: models and errors. No input or output, no algorithms beyond validation."""
