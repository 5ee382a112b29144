"""What do the data look like before anything is learned? Described, checked, projected, grouped, estimated."""
