"""What does a study do, step by step? Each step is given what it needs and returns facts, arrays, or a model."""
