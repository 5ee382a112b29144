"""Pictures of models: plain arrays in, axes out."""
